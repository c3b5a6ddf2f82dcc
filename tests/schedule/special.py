#!/usr/bin/env python3
"""Programs that are hard to control: many threads, a read from another process, spinning, sleeping, a terminal.

    special.py NAME -o DIRECTORY
"""

import argparse
import os
import pathlib
import pty
import subprocess
import sys
import time

from bug import norn_tools
from building import build
from verbs import IN_ORDER, confirm, entries, environment, norn, run, tokens

RUNS, SEED = 10, 1


def explore(program, directory, strategy="random", runs=RUNS, **keywords):
    """The only row of an exploration's report, and how long it took."""
    start = time.monotonic()
    done = confirm(["--explore"], program, directory, strategy, runs, SEED, **keywords)
    rows = entries(done)
    assert len(rows) == 1, f"{done.status}: {done.output}{done.errors}"
    return rows[0], time.monotonic() - start


def went_well(row):
    if row["runs"] and [item["kind"] for item in row["consequences"]] == ["none"]:
        return []
    return [f"consequences: {row['consequences']}"]


def two_hundred_threads(directory):
    program = build("programs/two-hundred-threads.c", directory)
    wrong = []
    for strategy in ("random", "pct", "pos", "rr"):
        row, _ = explore([program], directory, strategy, 3)
        wrong += [f"{strategy}: {sentence}" for sentence in went_well(row)]
    return wrong


def pipe_from_another_process(directory):
    program = build("programs/pipe-from-another-process.c", directory)
    row, seconds = explore([program], directory, runs=3)
    return went_well(row) + ([f"took {seconds:.0f} s"] if seconds > 300 else [])


def spins(directory):
    program = build("programs/spins.c", directory)
    wrong = []
    for kind in ("atomic", "plain"):
        for strategy in ("random", "pct", "pos", "rr"):
            row, seconds = explore([program, kind], directory, strategy, 5)
            wrong += [f"{kind}, {strategy}: {sentence}" for sentence in went_well(row)]
            if seconds > 200:  # the runs may each take twenty before they are called a hang
                wrong.append(f"{kind}, {strategy}: took {seconds:.0f} s")
    return wrong


def sleeps(directory):
    """They end at once, in the order of their times, and the same in each run."""
    program = build("programs/sleeps.cpp", directory)
    row, seconds = explore([program], directory)
    wrong = went_well(row)
    if seconds > 15:  # two runs in real time would take twenty
        wrong.append(f"took {seconds:.0f} s")
    token = next(item["replay"] for item in row["consequences"])
    expected = "sleep\nnanosleep\nwait_for\nsleep_for\nsem_timedwait\nten seconds passed\n"
    for _ in range(3):
        done = norn("replay", [token, "--", program], directory)
        if done.output != expected:
            wrong.append(f"printed {done.output!r}")
        if "replayed identically" not in done.errors:
            wrong.append(done.errors)
    return wrong


def closes_among_sleepers(directory):
    program = build("programs/closes-among-sleepers.c", directory)
    wrong = []
    for strategy in ("random", "pos", "rr"):
        row, _ = explore([program], directory, strategy, 2)
        wrong += [f"{strategy}: {sentence}" for sentence in went_well(row)]
    return wrong


def on_terminal(command, directory):
    """What a command writes when its standard error and output are a terminal."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                               env=environment(TERM="xterm"))
    os.close(follower)
    written = b""
    while True:
        try:
            got = os.read(leader, 65536)
        except OSError:
            break
        if not got:
            break
        written += got
    os.close(leader)
    process.wait()
    return written.decode(errors="replace")


def progress(directory):
    """One line that is written over, on a terminal only."""
    program = build("bugs/deadlock-philosophers.cpp", directory)
    command = [str(norn_tools() / "norn"), "confirm", "--explore", "--strategy=random", "--runs=60", "--", program]
    written = on_terminal(command, directory)
    wrong = [] if "\r" in written.replace("\r\n", "\n") else [f"no progress line on a terminal: {written!r}"]
    done = norn("confirm", command[2:], directory)
    if "\r" in done.output + done.errors or "\x1b" in done.output + done.errors:
        wrong.append(f"progress without a terminal: {done.output + done.errors!r}")
    return wrong


def same_seed(directory):
    """The same seed gives the same report, whatever the number of jobs; another seed gives another."""
    program = build("bugs/atomicity-three-looks.c", directory)
    rows = [entries(confirm(["--explore"], [program], directory, "random", 30, seed, [f"--jobs={jobs}"]))
            for seed, jobs in ((7, 1), (7, 2), (7, 2), (8, 2))]
    wrong = [] if rows[0] == rows[1] == rows[2] else [f"seed 7 gave {rows[:3]}"]
    return wrong + ([] if rows[3] != rows[0] else ["seed 8 gives the same as seed 7"])


def from_reports(directory):
    """Candidates come from the last run, from a JSON report, and from ThreadSanitizer's text."""
    program = build("bugs/race-lost-update.c", directory, flags=["-O0"])
    findings = run([program], directory, **IN_ORDER)
    report = pathlib.Path(directory) / "run.json"
    wrong = []
    done = confirm(["--all", f"--from={report}"], [program], directory / "elsewhere", None, 5, SEED)
    if not any(tokens(entry) for entry in entries(done)):
        wrong.append(f"of a JSON report: {done.output}{done.errors}")
    race = findings.report["races"][0]["id"].removeprefix("R")
    for name in (race, "R" + race, "R" + race[:6]):
        done = confirm([name], [program], directory, None, 5, SEED)
        if len(entries(done)) != 1:
            wrong.append(f"by the name {name}: {done.output}{done.errors}")
    peer = build("bugs/race-lost-update.c", directory / "tsan", ("clang-19", "clang++-19"), ["-fsanitize=thread", "-O0"])
    text = subprocess.run([peer], capture_output=True, env=environment(TSAN_OPTIONS="exitcode=0")).stderr
    (directory / "tsan.txt").write_bytes(text)
    if b"data race" in text:  # whether it meets the race is the machine's affair
        done = confirm(["--all", "--from=tsan.txt"], [program], directory, None, 5, SEED)
        if not any(tokens(entry) for entry in entries(done)):
            wrong.append(f"of ThreadSanitizer's text: {done.output}{done.errors}")
    return wrong


TESTS = {function.__name__.replace("_", "-"): function for function in
         (two_hundred_threads, pipe_from_another_process, spins, closes_among_sleepers, sleeps, progress, same_seed,
          from_reports)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=TESTS)
    parser.add_argument("-o", dest="directory", required=True)
    arguments = parser.parse_args()
    wrong = TESTS[arguments.name](pathlib.Path(arguments.directory).absolute())
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
