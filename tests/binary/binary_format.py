"""A lit format: every program of tests/behaviour, as built by an ordinary compiler, is a test of its own."""

import fnmatch
import os
import re
import subprocess
import sys
import zlib

import lit.formats
import lit.Test

HERE = os.path.dirname(os.path.abspath(__file__))
BEHAVIOUR = os.path.join(os.path.dirname(HERE), "behaviour")
BUILDS = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O2")]
SAMPLE = 10  # one program of so many


def difference(program, wanted):
    """Why the program, built so, must differ; None if it must not."""
    reason = None
    with open(os.path.join(HERE, "differences.txt")) as file:
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
    def __init__(self, norn_bin, output, full):
        self.norn_bin, self.output, self.full = norn_bin, output, full

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        for name in sorted(os.listdir(BEHAVIOUR)):
            if not re.search(r"\.(c|cpp)$", name):
                continue
            number = zlib.crc32(name.encode())
            for index, build in enumerate(BUILDS):
                if self.full or (number % SAMPLE == 0 and number // SAMPLE % len(BUILDS) == index):
                    yield lit.Test.Test(suite, path_in_suite + (name + "".join(build),), local_config)

    def execute(self, test, lit_config):
        name, compiler, level = re.fullmatch(r"(.*\.(?:c|cpp))(gcc|clang)(-O\d)", test.path_in_suite[-1]).group(1, 2, 3)
        tool = os.path.join(os.path.dirname(self.norn_bin), "lib", "norn", "valgrind", "norn-amd64-linux")
        if not os.path.exists(tool):
            return lit.Test.UNSUPPORTED, "there is no Valgrind front end in this build"
        reason = difference(name, compiler + level)
        if reason is not None:
            return lit.Test.UNSUPPORTED, reason
        done = subprocess.run(
            [sys.executable, os.path.join(BEHAVIOUR, "check.py"), os.path.join(BEHAVIOUR, name), f"--levels={level}",
             f"--binary={compiler}", "-o", os.path.join(self.output, name + compiler + level)],
            capture_output=True, text=True, env={**os.environ, "NORN_BIN": self.norn_bin, "NO_COLOR": "1"})
        return lit.Test.PASS if done.returncode == 0 else lit.Test.FAIL, done.stdout + done.stderr
