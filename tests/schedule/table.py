#!/usr/bin/env python3
"""What a schedule costs: the table of docs/schedules.md.

    table.py [--document=FILE]

The tools are taken from the directory that NORN_BIN names.
"""

import argparse
import dataclasses
import pathlib
import resource
import subprocess
import sys
import tempfile

import building
import document
from bug import HERE, PLAIN_COMPILERS, norn_tools
from verbs import confirm, environment



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


def speed_table(rows):
    lines = ["What a run takes of the processor (not of the clock), with `random` and every "
             "access a point. Starting norn and its three runs to compare with are part of a controlled run's share.", "",
             "| program | | native ms | norn run ms | a controlled run ms | its points | µs for a point | schedules per second "
             "and processor |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in rows:
        lines.append(f"| {row['program']} | {row['why']} | {row['native'] * 1000:.1f} | {row['detecting'] * 1000:.1f} | "
                     f"{row['controlled'] * 1000:.1f} | {row['events']:.0f} | "
                     f"{per_point(row)} | {1 / row['controlled']:.0f} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--document", type=pathlib.Path, default=document.SCHEDULES)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        lines = speed_table(measure_speed(pathlib.Path(temporary)))
    document.write("table.py", lines, arguments.document)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
