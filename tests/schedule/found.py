#!/usr/bin/env python3
"""Do the strategies find the bug that they must find?

    found.py SOURCE -o PREFIX

SOURCE says `// FOUND-BY: STRATEGY…`: with a fixed seed, each finds the bug within RUNS schedules. The race-directed one
must bring a promised race together in nine of ten runs, or in the share that `// CONFIRMED: SHARE (why)` says.
"""

import argparse
import re
import sys

from bug import read_bug
from measure import STRATEGIES, build, measure

RUNS, SEED = 40, 1
SHARE = 0.9


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="directory", required=True)
    arguments = parser.parse_args()
    bug = read_bug(arguments.source)
    text = bug.source.read_text()
    strategies = re.search(r"^// FOUND-BY: (.*)$", text, re.M)[1].split()
    share = re.search(r"^// CONFIRMED: ([\d.]+) \(\S", text, re.M)
    program = build(bug, arguments.directory)
    wrong = []
    for strategy in strategies:
        assert strategy in STRATEGIES, strategy
        score = measure(bug, program, arguments.directory, strategy, RUNS, SEED)
        if not score or not score.bugs:
            wrong.append(f"{strategy}: not found in {score.runs if score else 'any (no candidate)'} runs")
        if score and strategy == "race-directed" and bug.finding != "none":
            wanted = RUNS * (float(share[1]) if share else SHARE)
            if score.confirmed < wanted:
                wrong.append(f"{bug.finding} was confirmed in {score.confirmed} of {RUNS} runs, not in {wanted:.0f}")
    for sentence in wrong:
        print(f"{bug.name}: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
