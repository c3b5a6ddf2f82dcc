"""A lit format: every program of tests/behaviour and tests/loops, as built by an ordinary compiler, is a test of its
own."""

import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import zlib

import lit.formats
import lit.Test

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = pathlib.Path(HERE).parent
BEHAVIOUR, LOOPS = TESTS / "behaviour", TESTS / "loops"
sys.path.insert(0, str(BEHAVIOUR))
from program import programs_in
BUILDS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2")]
SAMPLE = 10  # one program of so many
UNFORCED = ("run_two(", "run_many(")  # programs whose schedule is as it comes


def may_gate(path):
    if BEHAVIOUR in path.parents:
        return True
    text = path.read_text(encoding="utf-8")
    return not any(mark in text for mark in UNFORCED)


def known_natively(path):
    """Why the native front end is wrong about the program, too; None if it is not."""
    with open(path, encoding="utf-8") as source:
        known = re.search(r"^// KNOWN: (.*)$", source.read(), re.M)
    return known and known.group(1)


def difference(file_name, program, wanted):
    """Why the program, built so, must differ; None if it must not."""
    reason = None
    with open(file_name) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith(" "):
                reason = line.strip()
                continue
            pattern, *builds = line.split()
            if fnmatch.fnmatch(program, pattern) and (not builds or wanted in builds):
                return reason
    return None


class BinaryFormat(lit.formats.TestFormat):
    DIRECTORIES = (BEHAVIOUR, LOOPS)
    WITHOUT = ()  # folders of behaviour/
    DIFFERENCES = os.path.join(HERE, "differences.txt")
    WAY = "--binary"  # of check.py
    NEEDS = os.path.join("lib", "norn", "valgrind", "norn-amd64-linux")

    def __init__(self, norn_bin, output, full):
        self.norn_bin, self.output, self.full = norn_bin, output, full

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite:  # a folder here, such as Python's own
            return
        for directory in self.DIRECTORIES:
            for path in programs_in(directory):
                if path.parent.name in self.WITHOUT:
                    continue
                number = zlib.crc32(path.name.encode())
                in_sample = number % SAMPLE == 0 and may_gate(path)
                for index, build in enumerate(BUILDS):
                    if self.full or (in_sample and number // SAMPLE % len(BUILDS) == index):
                        test = path.relative_to(TESTS).with_name(path.name + "".join(build)).parts
                        yield lit.Test.Test(suite, test, local_config)

    def execute(self, test, lit_config):
        name, compiler, level = re.fullmatch(r"(.*\.(?:c|cpp))(gcc|clang)(-O\d)", test.path_in_suite[-1]).group(1, 2, 3)
        if not os.path.exists(os.path.join(os.path.dirname(self.norn_bin), self.NEEDS)):
            return lit.Test.UNSUPPORTED, f"there is no {self.NEEDS} in this build"
        folder = os.path.join(*test.path_in_suite[:-1])  # behaviour/locks, loops
        path = os.path.join(TESTS, folder, name)
        reason = difference(self.DIFFERENCES, name, compiler + level) or known_natively(path)
        if reason is not None:
            return lit.Test.UNSUPPORTED, reason
        prefix = os.path.join(self.output, folder, name + compiler + level)
        if test.path_in_suite[0] == "behaviour":
            command = [os.path.join(BEHAVIOUR, "check.py"), path, f"--levels={level}", f"{self.WAY}={compiler}"]
        else:
            command = [os.path.join(HERE, "waits.py"), path, f"--build={compiler}{level}"]
        done = subprocess.run([sys.executable, *command, "-o", prefix], capture_output=True, text=True,
                              env={**os.environ, "NORN_BIN": self.norn_bin, "NO_COLOR": "1"})
        return lit.Test.PASS if done.returncode == 0 else lit.Test.FAIL, done.stdout + done.stderr
