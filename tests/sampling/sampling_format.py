"""A lit format: programs of tests/behaviour and tests/loops, built in the sampling profile, are tests of their own."""

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
sys.path.insert(0, str(TESTS / "behaviour"))
from program import programs_in
SAMPLE = 60  # one program of so many
UNFORCED = ("run_two(", "run_many(")  # programs whose schedule is as it comes


def programs(directory):
    """Those that say what is to be reported of them."""
    for path in programs_in(directory):
        text = path.read_text(encoding="utf-8")
        known_wrong = re.search(r"^// KNOWN: ", text, re.M)
        if re.search(r"^// NORACE$|RACE: (observed|predicted) ", text, re.M) and not known_wrong:
            yield path, not any(mark in text for mark in UNFORCED)


class SamplingFormat(lit.formats.TestFormat):
    """Of the programs here every race must be found; of the others nothing else may be reported."""

    def __init__(self, norn_bin, output, full):
        self.norn_bin, self.output, self.full = norn_bin, output, full

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite:  # a folder here, such as Python's own
            return
        for directory in ("behaviour", "loops", "sampling"):
            for path, forced in programs(TESTS / directory):
                in_sample = zlib.crc32(path.name.encode()) % SAMPLE == 0 and forced
                if self.full or in_sample or directory == "sampling":
                    yield lit.Test.Test(suite, path.relative_to(TESTS).parts, local_config)

    def execute(self, test, lit_config):
        program = os.path.join(*test.path_in_suite)
        command = [os.path.join(HERE, "sampled.py"), os.path.join(TESTS, program), "-o",
                   os.path.join(self.output, program), "--levels=-O0,-O2"]
        if test.path_in_suite[0] == "sampling":
            command += ["--all", "--levels=-O0,-O2,-O2+-flto"]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True,
                              env={**os.environ, "NORN_BIN": self.norn_bin, "NO_COLOR": "1"})
        return lit.Test.PASS if done.returncode == 0 else lit.Test.FAIL, done.stdout + done.stderr
