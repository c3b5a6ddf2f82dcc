#!/usr/bin/env python3
"""The two figures of "Race Directed Random Testing of Concurrent Programs", with what the document says of them.

    figures.py 1|2 -o DIRECTORY [--runs=40] [--seed=1]

Figure 1: the pair on z is confirmed in every run, ERROR1 reached in about half of them; the pair on x, which is a
candidate only if what is handed over under a lock does not count, never.
Figure 2: confirmed in every run, ERROR in about half, however many statements precede the access.
"""

import argparse
import sys

from building import build
from verbs import confirm, entries, run, shown

STATEMENTS = (5, 50, 500)


def is_about_half(count, runs):
    """Within four standard deviations of a fair coin."""
    return abs(count - runs / 2) <= 4 * (runs / 4) ** 0.5


def check_pair(what, entry, runs, error):
    wrong = []
    if entry["standing"] != "confirmed" or entry["confirmed"] != runs:
        wrong.append(f"{what}: confirmed in {entry['confirmed']} of {runs} runs, not in each")
    if sorted(entry["orders"]) != ["ab", "ba"]:
        wrong.append(f"{what}: the orders are {entry['orders']}, not both")
    reached = sum(item["count"] for item in entry["consequences"] if (item["kind"], item["detail"]) == ("status", error))
    if not is_about_half(reached, runs):
        wrong.append(f"{what}: the error was reached in {reached} of {runs} runs, not in about half")
    return wrong


def pairs(program, detecting, running, directory, runs, seed, options=()):
    """The candidates by the variable's name, confirmed."""
    run([program, *detecting], directory, options)
    done = confirm(["--all"], [program, *running], directory, "race-directed", runs, seed)
    return {entry["title"].rpartition(" ")[2]: entry for entry in entries(done)}


def figure1(arguments):
    program = build("figures/figure1.c", arguments.directory)
    done = run([program, "in-turn"], arguments.directory)
    if [race["location"]["name"] for race in done.report["races"]] != ["z"]:
        return ["thread 2 reads x because of y: z alone should be a candidate"]
    found = pairs(program, ["in-turn"], [], arguments.directory, arguments.runs, arguments.seed, ["--handover=off"])
    if sorted(found) != ["x", "z"]:
        return [f"the candidates are on {sorted(found)}, not on x and z"]
    wrong = check_pair("z", found["z"], arguments.runs, "11")
    if found["x"]["standing"] == "confirmed" or found["x"]["confirmed"] != 0:
        wrong.append(f"x: {found['x']['standing']} in {found['x']['confirmed']} runs; it does not race")
    if any(item["detail"] == "12" for entry in found.values() for item in entry["consequences"]):
        wrong.append("ERROR2 was reached")
    return wrong


def figure2(arguments):
    program = build("figures/figure2.c", arguments.directory)
    wrong = []
    for statements in STATEMENTS:
        found = pairs(program, [str(statements), "in-turn"], [str(statements)], arguments.directory, arguments.runs,
                      arguments.seed)
        if sorted(found) != ["x"]:
            wrong.append(f"{statements} statements: the candidates are on {sorted(found)}, not on x")
            continue
        wrong += check_pair(f"x after {statements} statements", found["x"], arguments.runs, "11")
        done = confirm(["--explore"], [program, str(statements)], arguments.directory, "random", arguments.runs,
                       arguments.seed)
        by_chance = sum(shown(entry, {"status"}) for entry in entries(done))
        print(f"{statements} statements: a random schedule reaches ERROR in {by_chance} of {arguments.runs} runs")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("figure", type=int, choices=(1, 2))
    parser.add_argument("-o", dest="directory", required=True)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = figure1(arguments) if arguments.figure == 1 else figure2(arguments)
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
