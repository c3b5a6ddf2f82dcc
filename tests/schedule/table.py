#!/usr/bin/env python3
"""Which strategy finds which bug, after how many schedules: the tables of docs/schedules.md.

    table.py [strategies] [plain] [speed] [--runs=100] [--plain-runs=1000] [--seed=1] [--only=REGEX]
             [--results=FILE] [--document=FILE]

Measures the parts that are named (all, if none is; `none` only renders), keeps the numbers in the results file
(docs/schedules.json), and renders the tables from it. The tools are taken from the directory that NORN_BIN names. The schedules of a seed are
always the same; plain runs and speed are the machine's.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import building
import document
from bug import HERE, PLAIN_COMPILERS, all_bugs, norn_tools
from measure import JOBS, STRATEGIES, build, count_plainly, measure
from verbs import confirm, environment

DOCS = HERE.parent.parent / "docs"
PARTS = ["strategies", "plain", "speed"]


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


def processor_seconds(work):
    """What the processes that `work` starts and waits for take of the processor: a busy machine does not change it much."""
    def taken():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = taken()
    work()
    return taken() - before


def seconds_of(command, times, **keywords):
    """The processor's time for a run, on average."""
    def run_them():
        for _ in range(times):
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           **keywords)

    return processor_seconds(run_them) / times


@dataclasses.dataclass
class Speed:
    """A program to measure, how many controlled runs are a batch, and what it is there for."""
    source: str
    words: list
    runs: int
    why: str


SPEED = (Speed("bugs/race-lost-update.c", [], 100, "few points"),
         Speed("bugs/race-two-locks.cpp", [], 100, "16 threads"),
         Speed("programs/two-hundred-threads.c", [], 20, "200 threads"),
         Speed("figures/figure2.c", ["1000"], 50, "1,000 statements under a lock"),
         Speed("figures/figure2.c", ["100000"], 5, "100,000 of them"),
         Speed("programs/spins.c", ["atomic"], 50, "spins without yielding, atomic"),
         Speed("programs/spins.c", ["plain"], 50, "the same, volatile"),
         Speed("programs/pipe-from-another-process.c", [], 10, "read() from a process that takes 0.2 s"))


def measure_speed(directory):
    rows = []
    for speed in SPEED:
        source = HERE / speed.source
        place = directory / source.stem
        plain = building.build(speed.source, place / "plain", PLAIN_COMPILERS)
        command = [building.build(speed.source, place), *speed.words]
        row = {"program": " ".join([source.name, *speed.words]), "why": speed.why,
               "native": seconds_of([plain, *speed.words], 20),
               "detecting": seconds_of([str(norn_tools() / "norn"), "run", "--", *command], 5, env=environment(), cwd=place)}
        done = []
        row["controlled"] = processor_seconds(
            lambda: done.append(confirm(["--explore"], command, place, "random", speed.runs, 1))) / speed.runs
        found = done[0].report["confirm"][0]
        row["events"] = found["mean_events"]
        row["consequences"] = [item["kind"] for item in found["consequences"]]
        rows.append(row)
    return rows


def per_point(row):
    """Where there are few, a run's beginning is all that is seen."""
    return f"{(row['controlled'] - row['native']) * 1e6 / row['events']:.1f}" if row["events"] > 1000 else "·"


def speed_table(results):
    if not results["speed"]:
        return ["Speed: not measured yet (`table.py speed`)."]
    lines = ["What a run takes of the processor (not of the clock), with `random` and every "
             "access a point. Starting norn and its three runs to compare with are part of a controlled run's share.", "",
             "| program | | native ms | norn run ms | a controlled run ms | its points | µs for a point | schedules per second "
             "and processor |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in results["speed"]:
        lines.append(f"| {row['program']} | {row['why']} | {row['native'] * 1000:.1f} | {row['detecting'] * 1000:.1f} | "
                     f"{row['controlled'] * 1000:.1f} | {row['events']:.0f} | "
                     f"{per_point(row)} | {1 / row['controlled']:.0f} |")
    return lines


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
    parser.add_argument("--document", type=pathlib.Path, default=document.SCHEDULES)
    arguments = parser.parse_args()
    parts = arguments.parts or PARTS
    if unknown := set(parts) - {*PARTS, "none"}:
        parser.error(f"{unknown.pop()} is none of {', '.join(PARTS)}")
    results = load(arguments.results)
    results["processors"] = os.cpu_count()
    bugs = [bug for bug in all_bugs() if re.search(arguments.only, bug.name)]
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)

        def measure_one(bug):
            return (bug.name, measure_strategies(bug, directory / bug.name, arguments) if "strategies" in parts else None,
                    count_plainly(bug, directory, arguments.plain_runs) if "plain" in parts else None)

        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for name, scores, plain in pool.map(measure_one, bugs):
                if scores:
                    results["strategies"][name], results["seed"] = scores, arguments.seed
                if plain is not None:
                    results["plain"][name], results["plain_runs"] = plain, arguments.plain_runs
                arguments.results.write_text(json.dumps(results, indent=1) + "\n")
        if "speed" in parts:
            results["speed"] = measure_speed(directory)
            arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    fewest = min((score["runs"] for scores in results["strategies"].values() for score in scores.values() if score),
                 default=0)
    document.write("table.py", [f"At least {fewest} schedules for each cell, seed {results['seed']}; "
                               f"{results['processors']} processors.", "", *bug_table(all_bugs(), results), "",
                               *speed_table(results)], arguments.document)
    return 0


if __name__ == "__main__":
    sys.exit(main())
