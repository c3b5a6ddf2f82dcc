#!/usr/bin/env python3
"""Which strategy finds which bug, after how many schedules: the tables of docs/schedules.md.

    table.py [--runs=200] [--plain=1000] [--seed=1] [--only=REGEX] [--directory=DIR] [--no-speed] [--document=FILE]

The tools are taken from the directory that NORN_BIN names. Without --document the tables are printed. The schedules of
a seed are always the same; the plain runs are the machine's.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from bug import HERE, PLAIN_COMPILERS, all_bugs, norn_compilers
from measure import LEVEL, STRATEGIES, build, count_plainly, measure
from verbs import confirm, environment

BEGIN, END = "<!-- made by tests/schedule/table.py: begin -->\n", "<!-- made by tests/schedule/table.py: end -->\n"


def cell(score):
    if score is None:
        return "·"
    return f"{score.schedules:.1f}" if score.bugs else "–"


def confirmed_cell(bug, score):
    """How often the race-directed strategy brought together what the program's comment promises."""
    if bug.finding == "none":
        return "·"
    if score is None:
        return "no candidate"
    return f"{score.confirmed / score.per_candidate:.2f}" if score.confirmed else "0"


def bug_table(bugs, arguments, directory):
    lines = ["| program | bug | threads | preemptions | finding | confirmed per run | "
             + " | ".join(STRATEGIES) + f" | {arguments.plain} plain runs |",
             "| --- | --- | ---: | ---: | --- | ---: |" + " ---: |" * (len(STRATEGIES) + 1)]
    found = {strategy: 0 for strategy in STRATEGIES}
    candidates, by_any, plain_found = 0, 0, 0
    for bug in bugs:
        program = build(bug, directory / bug.name)
        scores = {strategy: measure(bug, program, directory / bug.name, strategy, arguments.runs, arguments.seed)
                  for strategy in STRATEGIES}
        plain = count_plainly(bug, directory / bug.name, arguments.plain)
        for strategy, score in scores.items():
            found[strategy] += bool(score and score.bugs)
        candidates += scores["race-directed"] is not None
        by_any += any(score and score.bugs for score in scores.values())
        plain_found += plain > 0
        lines.append(f"| [{bug.name}](../tests/schedule/bugs/{bug.source.name}) | {bug.kind} | {bug.threads} | "
                     f"{bug.preemptions} | {bug.finding} | {confirmed_cell(bug, scores['race-directed'])} | "
                     + " | ".join(cell(scores[strategy]) for strategy in STRATEGIES) + f" | {plain} |")
        print(lines[-1], file=sys.stderr, flush=True)
    totals = [f"{found[strategy]} of {candidates if strategy == 'race-directed' else len(bugs)}" for strategy in STRATEGIES]
    lines.append(f"| **found** | {by_any} of {len(bugs)} by some strategy | | | | | " + " | ".join(totals)
                 + f" | {plain_found} of {len(bugs)} |")
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


def speed_table(directory):
    lines = ["| program | native ms | under norn run ms | one controlled run ms | points | controlled schedules per second |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, words in SPEED:
        source = HERE / name
        place = directory / "speed" / source.stem
        place.mkdir(parents=True, exist_ok=True)
        language = 0 if source.suffix == ".c" else 1
        standard = (["-std=gnu11", "-D_GNU_SOURCE"], ["-std=c++20"])[language]
        programs = []
        for kind, compilers in (("plain", PLAIN_COMPILERS), ("norn", norn_compilers())):
            programs.append(str(place / kind))
            subprocess.run([compilers[language], *standard, "-g", LEVEL, "-pthread", str(source), "-o", programs[-1]],
                           check=True)
        native = seconds_of([programs[0], *words], 20)
        detecting = seconds_of([programs[1], *words], 10, env=environment(NORN_OPTIONS="verbose=0"), cwd=place)
        one = seconds_of([os.environ["NORN_BIN"] + "/norn", "confirm", "--explore", "--strategy=random", "--runs=1",
                          "--jobs=1", "--", programs[1], *words], 5, env=environment(), cwd=place)
        runs = 100 if words != ["100000"] else 10
        start = time.monotonic()
        done = confirm(["--explore"], [programs[1], *words], place, "random", runs, 1)
        rate = runs / (time.monotonic() - start)
        events = done.report["confirm"][0]["mean_events"] if done.report else 0
        lines.append(f"| {source.name} {' '.join(words)} | {native * 1000:.1f} | {detecting * 1000:.1f} | "
                     f"{one * 1000:.1f} | {events:.0f} | {rate:.0f} |")
    return lines


def write(document, lines):
    text = document.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    document.write_text(text[:begin] + "\n".join(lines) + "\n" + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--plain", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--directory")
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--document")
    arguments = parser.parse_args()
    bugs = [bug for bug in all_bugs() if re.search(arguments.only, bug.name)]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(arguments.directory or temporary).absolute()
        lines = [f"{arguments.runs} schedules for each cell, seed {arguments.seed}; {os.cpu_count()} processors.", "",
                 *bug_table(bugs, arguments, directory)]
        if not arguments.no_speed:
            lines += ["", *speed_table(directory)]
    if arguments.document:
        write(pathlib.Path(arguments.document), lines)
    else:
        print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
