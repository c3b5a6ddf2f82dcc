#!/usr/bin/env python3
"""Does every confirmed race replay identically, and end as before? Takes the tokens of all consequences of all confirmed candidates, of the
programs with bugs and of the figures.

    replay.py [--only=REGEX] [--times=100] [--runs=100] [--seed=1] [--jobs=N] [--document=FILE] -o DIRECTORY
"""

import argparse
import concurrent.futures
import pathlib
import re
import sys

import building
import document
from bug import all_bugs
from measure import JOBS, build
from verbs import IN_ORDER, confirm, entries, norn, run, tokens


def programs():
    """Name, how it is built, its arguments, and those that are added while detecting."""
    for bug in all_bugs():
        yield bug.name, lambda directory, bug=bug: build(bug, directory), [], []
    for name, words in (("figure1", []), ("figure2", ["50"])):
        yield name, lambda directory, name=name: building.build(f"figures/{name}.c", directory), words, ["in-turn"]


def ends_as(consequence, status):
    """Whether a replay that ended with this status did what the run did that its token is of."""
    if consequence["kind"] in ("crash", "abort", "assertion", "exception"):
        return status < 0
    if consequence["kind"] in ("deadlock", "hang"):
        return status == 1  # norn ends what stands still
    if consequence["kind"] == "status":
        return status == int(consequence["detail"])
    return status >= 0


def replay(command, consequence, directory):
    """What the replay said, if it was not identical, or how it ended, if that was another end."""
    done = norn("replay", [consequence["replay"], "--", *command], directory)
    said = done.errors + done.output
    if "replayed identically" not in said:
        return said.strip() or f"status {done.status}, no word"
    return None if ends_as(consequence, done.status) else f"status {done.status}, not {consequence['kind']}"


def replay_all(name, make, words, detecting, arguments, pool):
    """Confirmed candidates, tokens, and what went wrong."""
    directory = pathlib.Path(arguments.directory).absolute() / name
    command = [make(directory), *words]
    run([*command, *detecting], directory, ["--hazards"], **({} if detecting else IN_ORDER))
    confirmed, tried, wrong = 0, [], []
    for entry in entries(confirm(["--all"], command, directory, None, arguments.runs, arguments.seed,
                                 [f"--jobs={arguments.jobs}"])):
        confirmed += entry["standing"] == "confirmed"
        tried += tokens(entry)
        for shown in entry["consequences"] if tokens(entry) else []:
            said = list(pool.map(lambda _, shown=shown: replay(command, shown, directory), range(arguments.times)))
            different = [text for text in said if text]
            if different:
                wrong.append(f"{name}, {entry['title']}: {len(different)} of {arguments.times} differ, "
                             f"first: {different[0]}")
    return confirmed, len(tried), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--document")
    parser.add_argument("-o", dest="directory", required=True)
    arguments = parser.parse_args()
    confirmed, count, wrong = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program in programs():
            if not re.search(arguments.only, program[0]):
                continue
            more, new, bad = replay_all(*program, arguments, pool)
            confirmed, count, wrong = confirmed + more, count + new, wrong + bad
            for sentence in bad:
                print(sentence, flush=True)
    lines = [f"{confirmed} confirmed candidates with {count} schedules that show something different, each replayed "
             f"{arguments.times} times: {count * arguments.times} replays, "
             f"{'all identical' if not wrong else 'not all identical'}.", *(f"- {sentence}" for sentence in wrong)]
    print("\n".join(lines))
    if arguments.document:
        document.write("replay.py", lines, arguments.document)
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
