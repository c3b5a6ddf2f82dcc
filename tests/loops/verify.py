#!/usr/bin/env python3
"""Builds a program of this suite at each level, runs it under norn in each order of arrival, and compares.

    verify.py SOURCE -o PREFIX [--levels=-O0,-O1,-O2,-O3] [--lto] [--whole-program]

What the comments of SOURCE mean is said in waiting.py. The tools are taken from the directory that NORN_BIN names. Without
--levels they are -O0 and one of the others, by the program's name. With NORN_TEST_FULL in the environment all levels are
meant, whatever --levels says.
"""

import argparse
import os
import pathlib
import shutil
import sys

from waiting import LEVELS, LTO_LEVEL, WaitingProgram, check, two_levels


def runs_of(program, levels, flags, prefix):
    """(what was run, what is wrong, norn's standard error) of every level and order of arrival."""
    bin_dir = pathlib.Path(os.environ["NORN_BIN"])
    for level in levels:
        built = str(prefix / f"program{level}")
        command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level, built, flags)
        for arrival in program.arrivals:
            wrong, errors = check.run(program, [*command, *arrival], "hybrid", ".".join([built, *arrival]))
            yield " ".join([level, *flags, *arrival]), wrong, errors


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="prefix", required=True)
    parser.add_argument("--levels")
    parser.add_argument("--lto", action="store_true", help="only with link-time optimisation")
    parser.add_argument("--whole-program", action="store_true", help="and instrumented at the link")
    arguments = parser.parse_args(words)
    program = WaitingProgram(arguments.source)
    chosen = arguments.levels and not os.environ.get("NORN_TEST_FULL")
    levels = arguments.levels.split(",") if chosen else two_levels(arguments.source, LEVELS)
    levels = [LTO_LEVEL] if arguments.lto else levels
    flags = ["-flto", "-fuse-ld=lld"] if arguments.lto else []
    flags += ["-fnorn-whole-program"] if arguments.whole_program else []
    prefix = pathlib.Path(arguments.prefix).absolute()
    prefix.mkdir(parents=True, exist_ok=True)
    failed = False
    for what, wrong, errors in runs_of(program, levels, flags, prefix):
        failed |= check.is_told(f"{program.name} at {what}", wrong, errors)
    if program.known and not failed and not arguments.lto:  # what is known need not show with LTO
        print(f"{program.name} says KNOWN: {program.known}; but nothing is wrong with it any more")
        return 1
    if failed and not program.known:
        return 1
    shutil.rmtree(prefix)  # all programs at all levels together are gigabytes
    return 0


if __name__ == "__main__":
    sys.exit(main())
