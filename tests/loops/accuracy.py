#!/usr/bin/env python3
"""Who is right about the programs of this suite? The tables of docs/accuracy.md, in the form of the thesis' 9.1 to 9.3.

    accuracy.py [--write] [--level=-O1] [--jobs=N] [--peers=valgrind,tsan,helgrind,drd] [--keep=FILE] [--verbose]
                [--unmodified] [TEST…]

Each program is built once for norn, once for ThreadSanitizer and once for the others, and run in every order of arrival
it names. A row of a table is a set of options; the last table is their whole product. Options that mean the same for a
program (--spin=N and --spin=M, if no condition of its loops has between N and M blocks) are run once. A program is *missed* if none of its races is reported, a
*false alarm* if anything else is, and *passed* otherwise; one that hangs or does not end as it should has *failed*. What
is reported counts, not its standing, nor whether all its lines are (that is for lit to judge, of norn alone). --write
puts the tables into docs/accuracy.md.

The second check is that nothing is lost: a marked line that `hb` reports without looking at loops must be reported with
all that norn knows of them, too. The exit status is 1 if one is not.

With --keep=FILE what was found out is kept there, and what FILE has already is not run again: a run that was broken off
goes on, and peers, which take most of the time, can follow the rows of norn.

With --unmodified only those run that take a program as it is, each on the same binary: norn's Valgrind front end,
Helgrind and DRD. Their table stands apart.

The tools are taken from the directory that NORN_BIN names.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from waiting import HERE, WaitingProgram, all_programs, check

import peers
from program import clean_environment

SECONDS = 30
# Under Valgrind one thread runs at a time: one that spins keeps the others waiting. How long that takes depends on who
# else wants the machine; so what spins on is known by the processor time it takes.
VALGRIND_LIMITS = {"seconds": 600, "cpu_seconds": 60}
DOCUMENT = HERE.parent.parent / "docs" / "accuracy.md"
UNMODIFIED = ("valgrind", "helgrind", "drd")
BEGIN_UNMODIFIED, END_UNMODIFIED = (f"<!-- made by tests/loops/accuracy.py --unmodified: {what} -->\n" for what in ("begin", "end"))
BEGIN, END = "<!-- made by tests/loops/accuracy.py: begin -->\n", "<!-- made by tests/loops/accuracy.py: end -->\n"
ENGINES = ("msm-short", "msm-long", "hybrid")
SPINS = (0, 3, 6, 7, 8)


@dataclasses.dataclass(frozen=True)
class Row:
    """What norn is told: one line of a table."""
    engine: str
    cv: str = "wr"
    spin: int = 7
    lib: str = "on"

    def __str__(self):
        words = [self.engine, "lib" if self.lib == "on" else "nolib"]
        words += ["cv" if self.cv == "wr" else f"cv({self.cv})"] if self.cv != "off" else []
        words += [f"spin({self.spin})"] if self.spin else []
        return "+".join(words)

    @property
    def options(self):
        return [f"--engine={self.engine}", f"--cv={self.cv}", f"--spin={self.spin}", f"--lib={self.lib}"]


DEFAULT = Row("hybrid")
WITHOUT_LOOPS = Row("hb", "off", 0)

# In each: the title, and its rows, norn's or a peer's name.
TABLES = [
    ("Condition variables (compare table 9.1)",
     [Row(engine, cv, 0) for engine in ENGINES for cv in ("off", "lost", "wr")]),
    ("Spinning read loops (compare table 9.2)",
     [Row(engine, spin=spin) for engine in ("msm-short", "hybrid") for spin in SPINS]
     + [Row(engine, "off", 7, "off") for engine in ("msm-short", "hybrid")]),
    ("Beside other detectors (compare table 9.3)",
     [row for engine in ("msm-long", "msm-short", "hybrid") for row in (Row(engine), Row(engine, "off", 7, "off"))]
     + [WITHOUT_LOOPS, Row("hb"), "valgrind", "tsan", "helgrind", "drd"]),
]
PEERS = {"valgrind": "hybrid+lib+cv+spin(7), the program as it is", "tsan": "clang's ThreadSanitizer", "helgrind": "Helgrind", "drd": "DRD"}


# The lines of the product, and its columns are SPINS. Condition variables are of the library: without it --cv says nothing.
PRODUCT = list(itertools.product(ENGINES, [("off", "on"), ("lost", "on"), ("wr", "on"), ("off", "off")]))


# --- what was reported, as lists of lines of the program's own source (None: elsewhere) --------------------------------

class Failed(Exception):
    pass


def execute(command, directory, environment=None, seconds=SECONDS, cpu_seconds=None):
    """In a session of its own, all of which ends with it: what norn started would spin on."""
    def limit():
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))

    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               cwd=directory, env=clean_environment() | (environment or {}), start_new_session=True,
                               preexec_fn=limit)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed("hangs")
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def norn_reports(program, command, row, directory, more=()):
    norn = str(pathlib.Path(os.environ["NORN_BIN"]) / "norn")
    path = directory / "report.json"
    path.unlink(missing_ok=True)
    execute([norn, "run", "--fail-on=none", f"--json={path}", *row.options, *more, "--", *command], directory,
            **(VALGRIND_LIMITS if "--binary" in more else {}))
    if not path.exists():
        raise Failed("no report")
    report = json.loads(path.read_text())
    if not program.status_is_own(report["exit"]):
        raise Failed(f"ends with {report['exit']}")
    return [(location, lines) for _, location, lines in check.reports_in(report, program.source)]


def blocks_of_conditions(command, directory):
    """Of all loops of the program, whether they wait by reading or by waiting."""
    norn = str(pathlib.Path(os.environ["NORN_BIN"]) / "norn")
    done = execute([norn, "run", "--fail-on=none", "--lib=off", "--verbose=loops", "--", *command], directory)
    return [int(number) for number in re.findall(rb"a condition of (\d+) block", done.stderr)]


def least_spin(spin, blocks):
    """The least --spin=N of the tables that honours the same loops."""
    honoured = [number <= spin for number in blocks]
    return next(least for least in SPINS if (least == 0) == (spin == 0) and [n <= least for n in blocks] == honoured)


def tsan_reports(program, command, directory):
    done = execute(command, directory, {"TSAN_OPTIONS": "report_thread_leaks=0 report_signal_unsafe=0 exitcode=0"})
    errors = done.stderr.decode(errors="replace")
    if "FATAL" in errors or not program.status_is_own(done.returncode):
        raise Failed(f"ends with {done.returncode}")
    return [(None, lines) for _, _, lines in peers.tsan_reports(errors, program.source)]


def valgrind_reports(tool, program, command, directory):
    path = directory / f"{tool}.xml"
    done = execute(["valgrind", f"--tool={tool}", "--fair-sched=try", "--child-silent-after-fork=yes", "--xml=yes",
                    f"--xml-file={path}", *command], directory, **VALGRIND_LIMITS)
    if not program.status_is_own(done.returncode):
        raise Failed(f"ends with {done.returncode}")

    def line_in(stack):
        for frame in stack.iter("frame"):
            if os.path.basename(frame.findtext("file") or "") == program.name:
                return int(frame.findtext("line"))
        return None

    # Of the two stacks of a race, DRD tells only the second access; the others are where the first one's segment lies.
    stacks_told = {"Race": 2, "ConflictingAccess": 1}
    reports = []
    for error in xml.etree.ElementTree.parse(path).getroot().iter("error"):
        count = stacks_told.get(error.findtext("kind"))
        if count:
            reports.append((None, [line_in(stack) for stack in error.findall("stack")[:count]]))
    return reports


# --- judging ---------------------------------------------------------------------------------------------------------

def race_of(program, location, lines):
    """The name of the program's race that a report belongs to; "" if it may be reported or not; None if it is wrong."""
    if lines and all(line in program.either for line in lines):
        return ""
    for name, race in program.races.items():
        named = race.is_label or not location or name in location
        if named and lines and all(race.allows(line) for line in lines):
            return name
    return None


def verdict(program, reports):
    found = [race_of(program, location, lines) for location, lines in reports]
    if program.racy and not any(found):
        return "missed"
    return "false alarm" if None in found else "passed"


def lines_found(program, reports):
    """(race, line) for every marked line that was reported as part of its race."""
    pairs = ((race_of(program, location, lines), lines) for location, lines in reports)
    return {(name, line) for name, lines in pairs if name for line in lines if line in program.races[name].lines}


WORST = ["passed", "false alarm", "missed"]


class Judge:
    """`kept` is what was found out before: by row, and what was lost."""
    def __init__(self, program, level, rows, names, kept):
        self.program, self.level, self.rows, self.names = program, level, rows, names
        self.verdicts = {row: kept[str(row)] for row in [*rows, *names] if str(row) in kept}
        self.lost = kept.get("lost", [])
        self.built = {}
        with tempfile.TemporaryDirectory() as directory:
            self.directory = pathlib.Path(directory)
            if not all(row in self.verdicts for row in rows):
                self.judge_norn()
            for name in names:
                if name not in self.verdicts:
                    self.judge_peer(name)

    def to_keep(self):
        return {str(row): verdict for row, verdict in self.verdicts.items()} | {"lost": self.lost}

    def build(self, what, cc, cxx, flags=()):
        if what not in self.built:
            self.built[what] = self.program.build(cc, cxx, self.level, str(self.directory / what), flags)
        return self.built[what]

    def judge_norn(self):
        bin_dir = pathlib.Path(os.environ["NORN_BIN"])
        command = self.build("norn", str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"))
        blocks = blocks_of_conditions([*command, *self.program.arrivals[0]], self.directory)
        for row in self.rows:
            same = dataclasses.replace(row, spin=least_spin(row.spin, blocks))
            if same not in self.verdicts:
                self.settle(same, lambda arrival: norn_reports(self.program, [*command, *arrival], same, self.directory))
            self.verdicts[row] = self.verdicts[same]
        if self.program.racy:
            for arrival in self.program.arrivals:
                self.look_for_loss([*command, *arrival])

    def look_for_loss(self, command):
        try:
            before, after = (lines_found(self.program, norn_reports(self.program, command, row, self.directory))
                             for row in (WITHOUT_LOOPS, DEFAULT))
        except Failed:
            return  # it is counted as such
        order = "".join(f", {word} first" for word in command[1:])
        self.lost += [f"{self.program.name}:{line}: {name}{order}" for name, line in sorted(before - after)]

    def judge_peer(self, name):
        what, flags = ("tsan", "-fsanitize=thread") if name == "tsan" else ("plain", "-gdwarf-4")
        command = self.build(what, "clang-19", "clang++-19", [flags])
        if name == "valgrind":  # norn's own, on what the next two have
            self.settle(name, lambda arrival: norn_reports(self.program, [*command, *arrival], DEFAULT, self.directory,
                                                           ["--binary"]))
        elif name == "tsan":
            self.settle(name, lambda arrival: tsan_reports(self.program, [*command, *arrival], self.directory))
        else:
            self.settle(name, lambda arrival: valgrind_reports(name, self.program, [*command, *arrival],
                                                               self.directory))

    def settle(self, row, reports):
        """The worst of the verdicts over the orders of arrival."""
        try:
            told = [verdict(self.program, reports(arrival)) for arrival in self.program.arrivals]
            self.verdicts[row] = max(told, key=WORST.index)
        except (Failed, xml.etree.ElementTree.ParseError) as failure:
            self.verdicts[row] = f"failed: {failure}"


# --- the tables --------------------------------------------------------------------------------------------------------

def counts(judges, row):
    told = [judge.verdicts[row].partition(":")[0] for judge in judges]
    return [told.count(word) for word in ("false alarm", "missed", "failed", "passed")]


def table(title, rows, judges):
    lines = [f"**{title}**", "", "| | false alarms | missed | failed | passed |", "| --- | ---: | ---: | ---: | ---: |"]
    for row in rows:
        if row in judges[0].verdicts:
            cells = " | ".join(map(str, counts(judges, row)))
            lines.append(f"| {PEERS.get(row, row)} | {cells} |")
    return lines + [""]


def product_table(judges):
    lines = ["**All options: passed (false alarms, missed)**", "",
             "| | " + " | ".join(f"spin({spin})" if spin else "no spins" for spin in SPINS) + " |",
             "| --- |" + " ---: |" * len(SPINS)]
    for engine, (cv, lib) in PRODUCT:
        rows = [Row(engine, cv, spin, lib) for spin in SPINS]
        cells = []
        for row in rows:
            alarms, missed, failed, passed = counts(judges, row)
            cells.append(f"{passed} ({alarms}, {missed}" + (f", {failed} failed)" if failed else ")"))
        lines.append(f"| {dataclasses.replace(rows[0], spin=0)} | " + " | ".join(cells) + " |")
    return lines + [""]


def text_of(judges, level, missing):
    racy = sum(judge.program.racy for judge in judges)
    lines = [f"{len(judges)} programs, {racy} racy and {len(judges) - racy} race-free, built at `{level}`.", ""]
    lines += [f"{PEERS[name]} is not installed here: no row." for name in missing] + [""] * bool(missing)
    for title, rows in TABLES:
        lines += table(title, rows, judges)
    lines += product_table(judges)
    wrong = [judge for judge in judges if judge.verdicts[DEFAULT] != "passed"]
    lines.append(f"Not passed by {DEFAULT}, norn's default: " + (
        "; ".join(f"`{judge.program.name}` ({judge.verdicts[DEFAULT]})" for judge in wrong) or "none") + ".")
    lost = [line for judge in judges for line in judge.lost]
    lines += ["", "Lost (reported by `hb` without loops, not by the default): " + ("; ".join(lost) or "nothing") + "."]
    return "\n".join(lines) + "\n"


def text_of_unmodified(judges, level):
    racy = sum(judge.program.racy for judge in judges)
    lines = [f"{len(judges)} programs, {racy} racy and {len(judges) - racy} race-free, built by clang at `{level}`.", ""]
    lines += table("Programs as they are", UNMODIFIED, judges)
    wrong = [f"`{judge.program.name}` ({judge.verdicts['valgrind']})" for judge in judges
             if judge.verdicts.get("valgrind", "passed") != "passed"]
    return "\n".join(lines) + "\nNot passed by norn: " + ("; ".join(wrong) or "none") + ".\n"


def is_missing(name):
    if name == "tsan":
        probe = subprocess.run(["clang-19", "-fsanitize=thread", "-x", "c", "-", "-o", "/dev/null"], text=True,
                               input="int main(void) { return 0; }\n", capture_output=True)
        return probe.returncode != 0
    return shutil.which("valgrind") is None


def between(begin, end):
    """What stands in docs/accuracy.md between the two lines."""
    return DOCUMENT.read_text().partition(begin)[2].partition(end)[0]


def put_between(begin, end, text):
    """Into docs/accuracy.md, in place of what stands between the two lines."""
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{DOCUMENT} has no place for the tables: {begin.strip()} and {end.strip()}")
    DOCUMENT.write_text(before + begin + text + end + after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="into docs/accuracy.md")
    parser.add_argument("--verbose", action="store_true", help="each program and row that is not passed")
    parser.add_argument("--level", default="-O1", help="of optimisation: --level=-O2")
    parser.add_argument("--jobs", type=int, default=2 * os.cpu_count(), help="most of the time is waiting")
    parser.add_argument("--keep", type=pathlib.Path, help="what was found out, in this file")
    parser.add_argument("--unmodified", action="store_true", help="only those that take programs as they are")
    parser.add_argument("--peers", default=",".join(PEERS), help="which; --peers= is none")
    arguments = parser.parse_args()
    if "NORN_BIN" not in os.environ:
        parser.error("where are norn's tools? set NORN_BIN=build/bin")
    os.environ["NORN_BIN"] = os.path.abspath(os.environ["NORN_BIN"])
    programs = [WaitingProgram(test) for test in arguments.tests] or all_programs()
    programs = [program for program in programs if program.in_table]
    asked = UNMODIFIED if arguments.unmodified else [name for name in arguments.peers.split(",") if name]
    missing = [name for name in asked if is_missing(name)]
    names = [name for name in asked if name not in missing]
    rows = [DEFAULT] + [row for _, rows in TABLES for row in rows if isinstance(row, Row)]
    rows += [Row(engine, cv, spin, lib) for engine, (cv, lib) in PRODUCT for spin in SPINS]
    rows = [] if arguments.unmodified else list(dict.fromkeys(rows))
    kept = json.loads(arguments.keep.read_text()) if arguments.keep and arguments.keep.exists() else {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        judges = []

        def judge_of(program):
            return Judge(program, arguments.level, rows, names, kept.get(program.name, {}))

        for judge in pool.map(judge_of, programs):
            judges.append(judge)
            if arguments.keep:
                kept[judge.program.name] = kept.get(judge.program.name, {}) | judge.to_keep()
                arguments.keep.write_text(json.dumps(kept))
            print(f"\r{len(judges)} of {len(programs)}", end="\n" * (len(judges) == len(programs)), file=sys.stderr)
    if arguments.unmodified:
        text = text_of_unmodified(judges, arguments.level)
    else:
        text = text_of(judges, arguments.level, missing)
    print(text, end="")
    if arguments.verbose:
        for judge in judges:
            for row, told in judge.verdicts.items():
                if told != "passed":
                    print(f"{judge.program.name}  {row}  {told}")
    if arguments.write:
        put_between(*((BEGIN_UNMODIFIED, END_UNMODIFIED) if arguments.unmodified else (BEGIN, END)), text)
    return 1 if any(judge.lost for judge in judges) else 0


if __name__ == "__main__":
    sys.exit(main())
