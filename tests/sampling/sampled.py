#!/usr/bin/env python3
"""Builds a program of tests/behaviour, tests/loops or this directory in the sampling profile, runs it, and compares.

    sampled.py SOURCE -o PREFIX [--levels=-O0,-O2] [--all]

Nothing may be reported that the program's comments (../loops/waiting.py) do not expect as observed, nothing predicted,
and what the program prints and how it ends must be as ever. With --all every observed race must be reported, too;
without it what was not looked at may be missing. The tools are taken from the directory that NORN_BIN names.
"""

import argparse
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "loops"))

from waiting import WaitingProgram, check  # noqa: E402

FLAGS = ["-fnorn-profile=sampling"]
MISSED = "expected and not reported"  # as program.py says it
NOT_SEEN = ("no stack has", f"norn's exit status is 0, not {check.RACES_FOUND}")  # of what was missed


def is_wrong(sentence, misses):
    return not sentence.startswith(MISSED) and not (misses and sentence.startswith(NOT_SEEN))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="prefix", required=True)
    parser.add_argument("--levels", default="-O0,-O2")
    parser.add_argument("--all", action="store_true", help="all observed races must be found")
    arguments = parser.parse_args()
    program = WaitingProgram(arguments.source)
    if program.lacks_header():
        print(f"skipped: there is no {program.lacks_header()}")
        return 0
    if not {"hb", "hybrid"} & set(program.engines):
        print(f"skipped: it is about {', '.join(program.engines)}, which see every access")
        return 0
    bin_dir = pathlib.Path(os.environ["NORN_BIN"])
    prefix = pathlib.Path(arguments.prefix).absolute()
    prefix.mkdir(parents=True, exist_ok=True)
    failed = False
    for level in arguments.levels.split(","):
        built = str(prefix / f"program{level}")
        command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level, built, FLAGS)
        for arrival in program.arrivals:
            sentences, errors = check.run(program, [*command, *arrival], "hb", ".".join([built, *arrival]))
            misses = any(sentence.startswith(MISSED) for sentence in sentences)
            wrong = sentences if arguments.all else [s for s in sentences if is_wrong(s, misses)]
            order = " ".join(arrival) or "as it comes"
            failed |= check.is_told(f"{program.name} at {level}, {order}", wrong, errors)
    if not failed:
        shutil.rmtree(prefix)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
