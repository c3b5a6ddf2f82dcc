"""A lit format: programs of tests/behaviour and tests/loops, built in the sampling profile, are tests of their own."""

import os
import re
import subprocess
import sys
import zlib

import lit.formats
import lit.Test

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
SAMPLE = 60  # one program of so many
UNFORCED = ("run_two(", "run_many(")  # programs whose schedule is as it comes


def programs(directory):
    """Those that say what is to be reported of them."""
    for name in sorted(os.listdir(directory)):
        if not re.search(r"\.(c|cpp)$", name):
            continue
        with open(os.path.join(directory, name), encoding="utf-8") as source:
            text = source.read()
        known_wrong = re.search(r"^// KNOWN: ", text, re.M)
        if re.search(r"^// NORACE$|RACE: (observed|predicted) ", text, re.M) and not known_wrong:
            yield name, not any(mark in text for mark in UNFORCED)


class SamplingFormat(lit.formats.TestFormat):
    """Of the programs here every race must be found; of the others nothing else may be reported."""

    def __init__(self, norn_bin, output, full):
        self.norn_bin, self.output, self.full = norn_bin, output, full

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        for directory in ("behaviour", "loops", "sampling"):
            for name, forced in programs(os.path.join(TESTS, directory)):
                in_sample = zlib.crc32(name.encode()) % SAMPLE == 0 and forced
                if self.full or in_sample or directory == "sampling":
                    yield lit.Test.Test(suite, path_in_suite + (directory, name), local_config)

    def execute(self, test, lit_config):
        directory, name = test.path_in_suite[-2:]
        command = [os.path.join(HERE, "sampled.py"), os.path.join(TESTS, directory, name), "-o",
                   os.path.join(self.output, directory, name), "--levels=-O0,-O2"]
        if directory == "sampling":
            command += ["--all", "--levels=-O0,-O2,-O2+-flto"]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True,
                              env={**os.environ, "NORN_BIN": self.norn_bin, "NO_COLOR": "1"})
        return lit.Test.PASS if done.returncode == 0 else lit.Test.FAIL, done.stdout + done.stderr
