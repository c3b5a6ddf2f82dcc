#!/usr/bin/env python3
"""Does every confirmed race replay identically? Takes the tokens of all consequences of all confirmed candidates.

    replay.py [--only=REGEX] [--times=5] [--runs=20] [--seed=1] -o DIRECTORY
"""

import argparse
import pathlib
import re
import sys

from bug import all_bugs
from measure import build
from verbs import IN_ORDER, confirm, entries, norn, run, tokens


def replay(program, token, directory, times):
    """What the replays said that were not identical."""
    wrong = []
    for _ in range(times):
        done = norn("replay", [token, "--", program], directory)
        if "replayed identically" not in done.errors + done.output:
            wrong.append((done.errors + done.output).strip() or f"status {done.status}, no word")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", dest="directory", required=True)
    arguments = parser.parse_args()
    confirmed, replays, failed = 0, 0, 0
    for bug in all_bugs():
        if not re.search(arguments.only, bug.name):
            continue
        directory = pathlib.Path(arguments.directory).absolute() / bug.name
        program = build(bug, directory)
        run([program], directory, ["--hazards"], **IN_ORDER)
        for entry in entries(confirm(["--all"], [program], directory, None, arguments.runs, arguments.seed)):
            confirmed += entry["standing"] == "confirmed"
            for token in tokens(entry):
                wrong = replay(program, token, directory, arguments.times)
                replays += arguments.times
                failed += len(wrong)
                if wrong:
                    print(f"{bug.name}, {entry['title']}: {len(wrong)} of {arguments.times} differ, first: {wrong[0]}",
                          flush=True)
    print(f"{confirmed} confirmed, {replays} replays, {failed} differ")
    return 1 if failed or not replays else 0


if __name__ == "__main__":
    sys.exit(main())
