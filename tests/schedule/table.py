#!/usr/bin/env python3
"""Which strategy finds which bug, after how many schedules: the tables of docs/schedules.md.

    table.py [strategies] [plain] [speed] [--runs=100] [--plain-runs=1000] [--seed=1] [--only=REGEX]
             [--results=FILE] [--document=FILE]

Measures the parts that are named (all, if none is; `none` only renders), keeps the numbers in the results file (docs/schedules.json), and
renders the tables from it. The tools are taken from the directory that NORN_BIN names. The schedules of a seed are
always the same; plain runs and speed are the machine's.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import building
from bug import HERE, PLAIN_COMPILERS, all_bugs, norn_tools
from measure import STRATEGIES, build, count_plainly, measure
from verbs import confirm, environment

DOCS = HERE.parent.parent / "docs"
PARTS = ["strategies", "plain", "speed"]
BEGIN, END = "<!-- made by tests/schedule/table.py: begin -->\n", "<!-- made by tests/schedule/table.py: end -->\n"


def measure_strategies(bug, directory, arguments):
    program = build(bug, directory)
    scores = {}
    for strategy in STRATEGIES:
        score = measure(bug, program, directory, strategy, arguments.runs, arguments.seed)
        scores[strategy] = dataclasses.asdict(score) if score else None
    return scores


def cell(score):
    if score is None:
        return "·"
    return f"{score['runs'] / score['bugs']:.1f}" if score["bugs"] else "–"


def confirmed_cell(bug, score):
    """How often the race-directed strategy brought together what the program's comment promises."""
    if bug.finding == "none":
        return "·"
    if score is None:
        return "no candidate"
    return f"{score['confirmed'] / score['per_candidate']:.2f}" if score["confirmed"] else "0"


def bug_table(bugs, results):
    measured = [bug for bug in bugs if bug.name in results["strategies"]]
    lines = ["| program | bug | threads | preemptions | finding | confirmed per run | "
             + " | ".join(STRATEGIES) + f" | of {results['plain_runs']} plain runs |",
             "| --- | --- | ---: | ---: | --- | ---: |" + " ---: |" * (len(STRATEGIES) + 1)]
    found = {strategy: 0 for strategy in STRATEGIES}
    candidates, by_any, by_luck = 0, 0, 0
    for bug in measured:
        scores, plain = results["strategies"][bug.name], results["plain"].get(bug.name)
        for strategy, score in scores.items():
            found[strategy] += bool(score and score["bugs"])
        candidates += scores["race-directed"] is not None
        by_any += any(score and score["bugs"] for score in scores.values())
        by_luck += bool(plain)
        lines.append(f"| [{bug.name}](../tests/schedule/bugs/{bug.source.name}) | {bug.kind} | {bug.threads} | "
                     f"{bug.preemptions} | {bug.finding} | {confirmed_cell(bug, scores['race-directed'])} | "
                     + " | ".join(cell(scores[strategy]) for strategy in STRATEGIES)
                     + f" | {'not run' if plain is None else plain} |")
    totals = [f"{found[strategy]} of {candidates if strategy == 'race-directed' else len(measured)}"
              for strategy in STRATEGIES]
    lines.append(f"| **found** | by some strategy: {by_any} of {len(measured)} | | | | | " + " | ".join(totals)
                 + f" | {by_luck} of {len(measured)} |")
    return lines


def seconds_of(command, times, **keywords):
    """The median time of a run."""
    taken = []
    for _ in range(times):
        start = time.monotonic()
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **keywords)
        taken.append(time.monotonic() - start)
    return statistics.median(taken)


# Program, arguments: few points, many threads, many points.
SPEED = (("bugs/race-lost-update.c", []), ("bugs/race-two-locks.cpp", []), ("programs/two-hundred-threads.c", []),
         ("figures/figure2.c", ["1000"]), ("figures/figure2.c", ["100000"]))


def measure_speed(directory):
    rows = []
    for name, words in SPEED:
        source = HERE / name
        place = directory / source.stem
        plain, program = building.build(name, place / "plain", PLAIN_COMPILERS), building.build(name, place)
        norn = str(norn_tools() / "norn")
        row = {"program": " ".join([source.name, *words]), "native": seconds_of([plain, *words], 20),
               "detecting": seconds_of([norn, "run", "--", program, *words], 10, env=environment(), cwd=place)}
        runs = 100 if words != ["100000"] else 10
        start = time.monotonic()
        done = confirm(["--explore"], [program, *words], place, "random", runs, 1, ["--jobs=1"])
        row["controlled"] = (time.monotonic() - start) / runs
        start = time.monotonic()
        confirm(["--explore"], [program, *words], place, "random", runs, 1)
        row["rate"] = runs / (time.monotonic() - start)
        row["events"] = done.report["confirm"][0]["mean_events"]
        rows.append(row)
    return rows


def speed_table(results):
    if not results["speed"]:
        return ["Speed: not measured yet (`table.py speed`, on an idle machine)."]
    lines = ["| program | native ms | under norn run ms | a controlled run ms | its points | schedules per second, all processors |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for row in results["speed"]:
        lines.append(f"| {row['program']} | {row['native'] * 1000:.1f} | {row['detecting'] * 1000:.1f} | "
                     f"{row['controlled'] * 1000:.1f} | {row['events']:.0f} | {row['rate']:.0f} |")
    return lines


def write(document, lines):
    text = document.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    document.write_text(text[:begin] + "\n".join(lines) + "\n" + text[end:])


def load(path):
    empty = {"seed": 0, "plain_runs": 0, "processors": 0, "strategies": {}, "plain": {}, "speed": []}
    return {**empty, **(json.loads(path.read_text()) if path.exists() else {})}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="|".join(PARTS))
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--plain-runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--results", type=pathlib.Path, default=DOCS / "schedules.json")
    parser.add_argument("--document", type=pathlib.Path, default=DOCS / "schedules.md")
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if unknown := set(parts) - {*PARTS, "none"}:
        parser.error(f"{unknown.pop()} is none of {', '.join(PARTS)}")
    results = load(arguments.results)
    results["processors"] = os.cpu_count()
    bugs = [bug for bug in all_bugs() if re.search(arguments.only, bug.name)]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for bug in bugs:
            if "strategies" in parts:
                results["strategies"][bug.name] = measure_strategies(bug, directory / bug.name, arguments)
                results["seed"] = arguments.seed
            if "plain" in parts:
                results["plain"][bug.name] = count_plainly(bug, directory, arguments.plain_runs)
                results["plain_runs"] = arguments.plain_runs
            arguments.results.write_text(json.dumps(results, indent=1) + "\n")
        if "speed" in parts:
            results["speed"] = measure_speed(directory)
            arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    fewest = min((score["runs"] for scores in results["strategies"].values() for score in scores.values() if score),
                 default=0)
    write(arguments.document, [f"At least {fewest} schedules for each cell, seed {results['seed']}; "
                               f"{results['processors']} processors.", "", *bug_table(all_bugs(), results), "",
                               *speed_table(results)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
