#!/usr/bin/env python3
"""Does every confirmed race replay identically? Takes the tokens of all consequences of all confirmed candidates, of the
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


def replay(command, token, directory):
    """What the replay said, if it was not identical."""
    done = norn("replay", [token, "--", *command], directory)
    said = done.errors + done.output
    return None if "replayed identically" in said else said.strip() or f"status {done.status}, no word"


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
        for token in tokens(entry):
            said = list(pool.map(lambda _, token=token: replay(command, token, directory), range(arguments.times)))
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
