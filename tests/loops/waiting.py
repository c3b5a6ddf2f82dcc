"""A program of this suite: a behaviour test (../behaviour/program.py says what its comments mean) that may say more:

    ARRIVAL: both|counterpart|waiter    in which orders of arrival it runs (arrival.h); without: once, as it comes
    KNOWN: REASON                       norn is wrong about it in some run, and why; that it is right is then a failure
    TABLE: no                           it needs options of its own, so it is no row of the accuracy table
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "behaviour"))

import check  # noqa: E402,F401
from program import Program, two_levels  # noqa: E402,F401

LEVELS = ("-O0", "-O1", "-O2", "-O3")
LTO_LEVEL = "-O2"
HERE = pathlib.Path(__file__).resolve().parent


class WaitingProgram(Program):
    def __init__(self, source):
        super().__init__(source)
        text = self.source.read_text()

        def said(key):
            return next(iter(re.findall(rf"^// {key}: (.*)$", text, re.M)), "")

        arrival = said("ARRIVAL")
        self.arrivals = {"": [[]], "both": [["counterpart"], ["waiter"]]}.get(arrival, [[arrival]])
        self.known = said("KNOWN")
        self.in_table = said("TABLE") != "no"
        self.include_directories.append(HERE)

    @property
    def racy(self):
        return not self.norace


def all_programs():
    return [WaitingProgram(path) for path in sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])]
