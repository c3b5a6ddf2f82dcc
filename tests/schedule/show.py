#!/usr/bin/env python3
"""Is the bug real? Builds a program of bugs/ with -DSHOW, which forces its schedule, and expects the bug to show.

    show.py SOURCE -o PREFIX
"""

import argparse
import pathlib
import sys

from bug import PLAIN_COMPILERS, read_bug, run_plainly

RUNS = 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="prefix", required=True)
    arguments = parser.parse_args()
    bug = read_bug(arguments.source)
    prefix = pathlib.Path(arguments.prefix).absolute()
    prefix.mkdir(parents=True, exist_ok=True)
    program = bug.build(PLAIN_COMPILERS, prefix / "show", ["-O0", "-Wall", "-Wextra", "-Werror", "-DSHOW"])
    for _ in range(RUNS):
        ended = run_plainly([program])
        if ended != bug.shows:
            print(f"{bug.name}: ended by {ended or 'nothing wrong'}, not by {bug.shows}")
            return 1
        if bug.shows == "hang":  # which takes long, and its schedule is forced
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
