#!/usr/bin/env python3
"""Builds a program of tests/loops with an ordinary compiler, runs it under the Valgrind front end in each order of
arrival, and compares.

    waits.py SOURCE -o PREFIX --build=gcc-O2

What the comments of SOURCE mean is said in ../loops/waiting.py. The tools are taken from the directory that NORN_BIN
names.
"""

import argparse
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "loops"))

from waiting import WaitingProgram, check  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="prefix", required=True)
    parser.add_argument("--build", required=True, help="compiler and level, as gcc-O2")
    arguments = parser.parse_args()
    program = WaitingProgram(arguments.source)
    name, level = arguments.build.split("-")
    *compilers, flags = check.PLAIN_COMPILERS[name]
    prefix = pathlib.Path(arguments.prefix).absolute()
    prefix.mkdir(parents=True, exist_ok=True)
    built = str(prefix / "program")
    command = program.build(*compilers, f"-{level}", built, flags)
    failed = False
    for arrival in program.arrivals:
        wrong, errors = check.run(program, [*command, *arrival], "hybrid", ".".join([built, *arrival]), ["--binary"])
        order = " ".join(arrival) or "as it comes"
        failed |= check.is_told(f"{program.name} built by {arguments.build}, {order}", wrong, errors)
    if not failed:
        shutil.rmtree(prefix)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
