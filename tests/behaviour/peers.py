#!/usr/bin/env python3
"""What clang's ThreadSanitizer, and norn if NORN_BIN names its tools, say of the behaviour tests: one table.

    peers.py [--all | --markdown] [--level=-O1] [--jobs=N] [TEST…]

Each program is also run without any detector, to see that it ends as it says. By default only the programs on which
a detector and the test's author disagree are listed, and the sums.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import check
from program import Program, clean_environment, compare, programs_in

SECONDS = 20
ACCESS = re.compile(r"^  (?:Previous )?(?:[Aa]tomic )?(?:[Ww]rite|[Rr]ead).*?(?=\n\n|\Z)", re.S | re.M)


def tsan_reports(errors, source):
    """ThreadSanitizer's data races as (None, None, [line, line]); other warnings have no lines."""
    for block in re.findall(r"WARNING: ThreadSanitizer: (.*?)\n=====", errors + "\n=====", re.S):
        lines = []
        for stack in ACCESS.findall(block):
            frame = re.search(rf"{re.escape(source.name)}:(\d+)", stack)
            lines.append(int(frame.group(1)) if frame else None)
        yield None, None, lines[:2] or [None]


def run_tsan(program, directory, level):
    try:
        command = program.build("clang-19", "clang++-19", level, str(directory / "tsan"), ["-fsanitize=thread"])
    except subprocess.CalledProcessError:
        return "fails"
    environment = clean_environment() | {"TSAN_OPTIONS": "report_thread_leaks=0 report_signal_unsafe=0"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, env=environment, cwd=directory)
    except subprocess.TimeoutExpired:
        return "hangs"
    errors = done.stderr.decode(errors="replace")
    reports = list(tsan_reports(errors, program.source))
    if "FATAL" in errors or (not reports and not program.status_is_own(done.returncode)):
        return "fails"
    return verdict(program, compare(program, program.races, reports), bool(reports))


def verdict(program, wrong, reported):
    if not wrong:
        return "right"
    if program.norace:
        return "false alarm"
    return "elsewhere" if reported else "missed"


def run_natively(program, directory, level):
    command = program.build("clang-19", "clang++-19", level, str(directory / "plain"))
    began = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, env=clean_environment(), cwd=directory)
    except subprocess.TimeoutExpired:
        return "hangs"
    seconds = time.monotonic() - began
    if not program.status_is_own(done.returncode):
        return f"ends with {done.returncode}"
    if done.stdout.decode() != program.stdout:
        return f"prints {done.stdout.decode()!r}"
    return "ok" if seconds < 0.3 else f"{seconds:.2f} s"


def run_norn(program, directory, level):
    bin_dir = pathlib.Path(os.environ["NORN_BIN"])
    built = str(directory / "norn")
    try:
        command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level, built)
    except subprocess.CalledProcessError:
        return "fails"
    wrong, _ = check.run(program, command, "hybrid", built)
    if any("reported" in sentence for sentence in wrong):
        return verdict(program, wrong, not any("and not reported" in sentence for sentence in wrong))
    return "fails" if wrong else "right"


def judge(source, level, with_norn):
    program = Program(source)
    expected = "none" if program.norace else "/".join(sorted({race.standing for race in program.races.values()}))
    if program.lacks_header():
        return None
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        try:
            row = [program.name, expected, run_natively(program, directory, level),
                   run_tsan(program, directory, level)]
        except subprocess.CalledProcessError:
            return [program.name, expected, "does not build", "-"] + ["-"] * with_norn
        return row + ([run_norn(program, directory, level)] if with_norn else [])


def print_table(head, rows, markdown):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    edge = "| " if markdown else ""
    for number, row in enumerate([head, *rows]):
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        print((edge + (" | " if markdown else "  ").join(cells) + edge[::-1]).rstrip())
        if number == 0 and markdown:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="list also what all agree on")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--level", default="-O1", help="of optimisation: --level=-O2")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    tests = arguments.tests or programs_in(here)
    with_norn = "NORN_BIN" in os.environ
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [row for row in pool.map(lambda test: judge(test, arguments.level, with_norn), tests) if row]
    head = ["test", "expected", "alone", "TSan"] + ["norn"] * with_norn
    shown = [row for row in rows if arguments.all or row[2] != "ok" or any(cell != "right" for cell in row[3:])]
    print_table(head, shown, arguments.markdown)
    print()
    for column, name in list(enumerate(head))[3:]:
        sums = {}
        for row in rows:
            sums[row[column]] = sums.get(row[column], 0) + 1
        words = ", ".join(f"{count} {word}" for word, count in sorted(sums.items()))
        print(f"{name}: of {len(rows)} programs {words}")
    return 1 if any(row[2] != "ok" and not row[2].endswith(" s") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
