#!/usr/bin/env python3
"""How many schedules it takes to the first bug: trials of each program with each strategy, in parts.

    trials.py [--trials=20] [--schedules=1000] [--strategies=portfolio,random,…] [--only=REGEX] [--minutes=N]
              [--give-up=N] [--results=FILE] [--table] [--document=FILE]

A trial ends with its first schedule that shows the bug. Each result is a line of the results file (docs/trials.jsonl),
by program (the hash of its source), strategy, trial and commit; what is there already is not run again, so the table
can be made in parts: stop it whenever you like, and start it again. --minutes ends it after so long. --table only
renders what there is of the newest commit that each program was tried with by a strategy. --give-up=N makes no more
trials of a program by a strategy that found nothing in its first N; the table says how many were made.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import document
from bug import CONSEQUENCES, HERE, all_bugs
from measure import build
from verbs import CONFIRMED, IN_ORDER, confirm, entries, run, shown

STRATEGIES = ("portfolio", "reads-from", "frontier", "window", "selected", "pos", "pct", "random", "race-directed")
RESULTS = HERE.parent.parent / "docs" / "trials.jsonl"
SEEDS_APART = 10_000
DIRECTED = 200  # schedules for each candidate: a search that is directed to one does not end with the first bug
DEADLINE = 600  # seconds for a trial


def commit():
    said = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def source_hash(bug):
    return hashlib.sha256(bug.source.read_bytes()).hexdigest()[:12]


def key_of(row):
    return row["program"], row["source"], row["strategy"], row["trial"], row["schedules"], row["commit"]


def load(path):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def try_once(bug, program, strategy, trial, schedules, directory):
    """Schedules to the first bug, or None. race-directed takes each candidate of a detection run in turn, with up to DIRECTED
    schedules, and the number is that of the schedules by the bugs among them; the portfolio is what `norn confirm
    --explore` does by itself."""
    options = ["--jobs=1", f"--budget={DEADLINE}"]
    seed = 1 + trial * SEEDS_APART
    if strategy == "race-directed":
        run([program], directory, ["--hazards"], **IN_ORDER)
        done = confirm(["--all"], [program], directory, strategy, min(schedules, DIRECTED), seed, options,
                       seconds=DEADLINE + 60)
        spent = 0
        for entry in entries(done):
            if bugs := shown(entry, CONSEQUENCES[bug.shows]):
                return {"found": spent + max(1, round(entry["runs"] / bugs))}
            spent += entry["runs"]
        return {"found": None, "tried": spent, "status": done.status}
    named = None if strategy == "portfolio" else strategy
    spent, status = 0, CONFIRMED
    # A search ends with the first harm. If that is another one than the program says, the next search goes on.
    while spent < schedules and status == CONFIRMED:
        before = spent
        done = confirm(["--explore"], [program], directory, named, schedules - spent, seed + spent, ["--first", *options],
                       seconds=DEADLINE + 60)
        status = done.status
        for entry in entries(done):
            spent += entry["runs"]
            if shown(entry, CONSEQUENCES[bug.shows]):
                return {"found": spent}
        if spent == before:
            break
    return {"found": None, "tried": spent, "status": status}


def measure_all(arguments, results):
    now = commit()
    done = {key_of(row) for row in results}
    end = time.monotonic() + arguments.minutes * 60 if arguments.minutes else float("inf")
    with tempfile.TemporaryDirectory() as temporary, open(arguments.results, "a", encoding="utf-8") as out, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        built = {}

        def is_hopeless(bug, strategy):
            mine = [row for row in results if (row["program"], row["strategy"], row["source"], row["commit"])
                    == (bug.name, strategy, source_hash(bug), now)]
            return 0 < arguments.give_up <= len(mine) and not any(row["found"] for row in mine)

        def one(job):
            bug, strategy, trial = job
            if is_hopeless(bug, strategy):
                return None
            row = {"program": bug.name, "source": source_hash(bug), "strategy": strategy, "trial": trial,
                   "schedules": arguments.schedules, "commit": now}
            if key_of(row) in done or time.monotonic() > end:
                return None
            place = pathlib.Path(temporary) / bug.name / strategy / str(trial)
            place.mkdir(parents=True)
            return {**row, **try_once(bug, built[bug.name], strategy, trial, arguments.schedules, place)}

        bugs = [bug for bug in all_bugs() if re.search(arguments.only, bug.name)]
        for trial in range(arguments.trials):  # a whole round of all programs first, so that a part says something
            for bug in bugs:
                if time.monotonic() > end:
                    return
                if bug.name not in built:
                    built[bug.name] = build(bug, pathlib.Path(temporary) / bug.name)
                for row in pool.map(one, [(bug, strategy, trial) for strategy in arguments.strategies]):
                    if row:
                        out.write(json.dumps(row) + "\n")
                        out.flush()
                        results.append(row)


def table(results):
    rows = {}
    for bug in all_bugs():
        own = [row for row in results if row["program"] == bug.name and row["source"] == source_hash(bug)]
        newest = {row["strategy"]: row["commit"] for row in own}
        if own:
            rows[bug.name] = (bug, [row for row in own if row["commit"] == newest[row["strategy"]]])
    strategies = [name for name in STRATEGIES if any(row["strategy"] == name for _, own in rows.values() for row in own)]
    lines = ["| program | bug | threads | " + " | ".join(strategies) + " |",
             "| --- | --- | ---: |" + " ---: |" * len(strategies)]
    always = {name: 0 for name in strategies}
    once = {name: 0 for name in strategies}
    tried = {name: 0 for name in strategies}
    trials = {name: 0 for name in strategies}
    schedules = {name: 0 for name in strategies}
    for bug, own in rows.values():
        cells = []
        for name in strategies:
            mine = [row for row in own if row["strategy"] == name]
            found = [row["found"] for row in mine if row["found"]]
            tried[name] += bool(mine)
            once[name] += bool(found)
            trials[name] += len(mine)
            schedules[name] += sum(row["found"] or row["tried"] for row in mine)
            always[name] += bool(mine) and len(found) == len(mine)
            mean = f"{sum(found) / len(found):.1f}" if found else "–"
            cells.append("" if not mine else f"{mean} ({len(found)} of {len(mine)})")
        lines.append(f"| [{bug.name}](../tests/schedule/bugs/{bug.source.name}) | {bug.kind} | {bug.threads} | "
                     + " | ".join(cells) + " |")
    for words, cell in (("**found in each trial**", lambda name: f"{always[name]} of {tried[name]}"),
                        ("**found in some trial**", lambda name: f"{once[name]} of {tried[name]}"),
                        ("trials made", lambda name: f"{trials[name]:,}"),
                        ("schedules made", lambda name: f"{schedules[name]:,}")):
        lines.append(f"| {words} | | | " + " | ".join(cell(name) for name in strategies) + " |")
    commits = sorted({row["commit"] for _, own in rows.values() for row in own})
    return [f"Mean number of schedules to the first bug, and in how many trials there was one within "
            f"{max((row['schedules'] for row in results), default=0)}; commits {', '.join(commits)}.", "", *lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--only", default="")
    parser.add_argument("--give-up", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--document")
    arguments = parser.parse_args()
    arguments.strategies = arguments.strategies.split(",")
    if unknown := set(arguments.strategies) - set(STRATEGIES):
        parser.error(f"{unknown.pop()} is none of {', '.join(STRATEGIES)}")
    results = load(arguments.results)
    if not arguments.table:
        measure_all(arguments, results)
    lines = table(results)
    print("\n".join(lines))
    if arguments.document:
        document.write("trials.py", lines, arguments.document)
    return 0


if __name__ == "__main__":
    sys.exit(main())
