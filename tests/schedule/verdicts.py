#!/usr/bin/env python3
"""norn's verdicts over the programs of the other suites: what races is confirmed, what does not race never is.

    verdicts.py false  [--runs=100] [--only=REGEX] [--jobs=N] -o DIRECTORY
    verdicts.py check  [--runs=20] [--only=REGEX] [--jobs=N] [--document=FILE] -o DIRECTORY
    --within=SECONDS: takes them in random order and begins no program later.
    --resume: what DIRECTORY already has a verdict of, with as many runs, is not run again.

false: the race-free programs of tests/behaviour, tests/loops and tests/standards. To have something to refute, the detection knows no
       synchronization (--lib=off, no loops), so nearly every shared variable is a candidate; and they are explored:
       nothing may go wrong in any schedule. Two things do not count: the flag that a loop waits for (norn run
       --verbose=loops says which do), which is the synchronization itself; and what the program's comments promise for
       runs in which nobody waits for a turn (UNORDERED, tests/behaviour/program.py). The exit status is 1 if anything
       else was confirmed or went wrong, or a promise was not kept.
check: `norn check` of every program, in the order that each forces while detecting. A confirmed race that the program's
       comments do not know is a false alarm, and makes the exit status 1; a race they promise and that was not
       confirmed is a miss, and is listed.

The programs of tests/loops that wait for nobody to come (ARRIVAL) run in the first order they name.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re
import sys
import time

import document
from bug import HERE, norn_compilers
from measure import JOBS
from verbs import confirm, entries, norn, run

sys.path[:0] = [str(HERE.parent / "loops"), str(HERE.parent / "behaviour")]

from program import Program, programs_in  # noqa: E402
from waiting import WaitingProgram  # noqa: E402

LEVEL = "-O1"
SEED = 1
SECONDS = 600
BUDGET = 120  # for all candidates of a program, and for exploring it
# Controlled runs choose the order themselves: tests/behaviour/order.h.
UNORDERED = {"NORN_TEST_UNORDERED": "1"}
# A program that keeps its promises may still end differently when nobody waits for a turn; this is what must not be.
FATAL = {"crash", "assertion", "sanitizer", "hang", "deadlock"}


@dataclasses.dataclass
class Verdict:
    name: str
    candidates: int = 0
    false_alarms: list = dataclasses.field(default_factory=list)
    missed: list = dataclasses.field(default_factory=list)
    promised: list = dataclasses.field(default_factory=list)
    flags: int = 0
    confirmed: int = 0
    explored: int = 0
    trouble: str = ""


def sources():
    for suite in ("behaviour", "loops", "standards"):
        for path in programs_in(HERE.parent / suite):
            if "RACE" in path.read_text(encoding="utf-8"):  # the others test options
                yield (WaitingProgram if suite == "loops" else Program)(path)


def build(program, directory):
    directory.mkdir(parents=True, exist_ok=True)
    return program.build(*norn_compilers(), LEVEL, str(directory / "program"))


def places(entry):
    """The lines of a row of confirm's report, by file: "a.c:3 write / a.c:7 read"."""
    return [(file, int(line)) for file, line in re.findall(r"(\S+?):(\d+) ", entry.get("places") or "")]


def is_known(program, entry):
    """Whether the program's comments promise this race."""
    lines = [line for file, line in places(entry) if file == program.source.name]
    return any(all(race.allows(line) for line in lines) for race in program.races.values())


def shared(runs, candidates):
    """How often each of a program's candidates is tried, so that the program runs at least so often."""
    return max(-(-runs // max(1, candidates)), runs // 4)


def waiting_loops(text):
    """The loops that spin, as norn run --verbose=loops lists them: their lines, {("a.c", 3)}, and what they wait for.
    (What a loop around a condition variable reads is protected by its mutex, and no flag.)"""
    found = re.findall(r"norn: loop at (\S+):(\d+) in .*?: spins until (.*) changes", text)
    return {(pathlib.Path(file).name, int(line)) for file, line, _ in found}, {name for _, _, name in found}


def awaited_races(report, loops):
    """The ids of the races on what such a loop waits for: it is named so, or one side is read by the loop, itself or
    by what it calls."""
    lines, names = loops

    def waits(access):
        return access["op"].endswith("read") and any((pathlib.Path(frame["file"]).name, frame["line"]) in lines
                                                     for frame in access["stack"])
    return {race["id"] for race in report.get("races", [])
            if race["location"]["name"] in names or any(map(waits, race["accesses"]))}


def went_wrong(program, entry):
    """What of a row of confirm's report may not be, each as a promise would name it and as it is told."""
    if entry["id"] and entry["standing"] == "confirmed":
        yield entry["title"].replace(" on ", " "), f"{entry['title']} ({entry['places']})"
    for item in entry["consequences"]:
        if item["kind"] in FATAL and not program.signal:
            yield item["kind"], (f"{item['count']} runs of {entry['runs']} ended by {item['kind']}: "
                                 f"{item['detail'][:80]}; replay {item['replay']}")


def refute(program, directory, runs):
    """All that could be taken for a race in a race-free program; none of it may be confirmed."""
    verdict = Verdict(f"{program.source.relative_to(HERE.parent).parent}/{program.name}")
    command = build(program, directory)
    command += getattr(program, "arrivals", [[]])[0]
    loops = waiting_loops(run(command, directory, ["--verbose=loops"], seconds=SECONDS).errors)
    found = run(command, directory, ["--lib=off", "--spin=0", "--cv=off"], seconds=SECONDS).report or {}
    candidates = len(found.get("races", [])) + len(found.get("hazards", []))
    awaited = awaited_races(found, loops)
    kept = set()
    for which, times in ((["--all"], shared(runs, candidates)), (["--explore"], runs)):
        done = confirm(which, command, directory, None, times, SEED, ["--jobs=1", f"--budget={BUDGET}"],
                       seconds=SECONDS, **UNORDERED)
        if done.report is None:
            verdict.trouble = (done.errors or done.output).strip()
        for entry in entries(done):
            verdict.candidates += which == ["--all"]
            verdict.explored += entry["runs"] if which == ["--explore"] else 0
            is_flag = entry["id"] in awaited
            verdict.flags += is_flag
            for what, told in went_wrong(program, entry):
                if what in program.unordered:
                    kept.add(what)
                elif not (is_flag and what.startswith("race")):
                    verdict.false_alarms.append(told)
    verdict.promised = [f"{what}: {reason}" for what, reason in program.unordered.items()]
    verdict.missed = sorted(set(program.unordered) - kept)
    return verdict


def judge(program, directory, runs):
    verdict = Verdict(f"{program.source.relative_to(HERE.parent).parent}/{program.name}")
    command = build(program, directory)
    arrival = getattr(program, "arrivals", [[]])[0]
    # What norn check does, but that the detection run keeps to the order in which the program shows its race.
    run([*command, *arrival], directory, seconds=SECONDS)
    # What hangs in another order is no business of this: it is given up soon.
    done = confirm(["--all"], [*command, *arrival], directory, None, runs, SEED, ["--jobs=1", "--timeout=10"],
                   seconds=SECONDS, **UNORDERED)
    if done.report is None:
        verdict.trouble = (done.errors or done.output).strip()
    seen = set()
    for entry in entries(done):
        verdict.candidates += 1
        if entry["standing"] != "confirmed" or entry["kind"] != "race":
            continue
        verdict.confirmed += 1
        if not is_known(program, entry):
            verdict.false_alarms.append(f"{entry['title']} ({entry['places']})")
        for name, race in program.races.items():
            if all(race.allows(line) for _, line in places(entry)):
                seen.add(name)
    verdict.missed = sorted(f"{race.standing} {name}" for name, race in program.races.items() if name not in seen)
    return verdict


def report_false(verdicts, runs):
    wrong = [verdict for verdict in verdicts if verdict.false_alarms]

    def total(what):
        return sum(getattr(verdict, what) for verdict in verdicts)

    lines = [f"{len(verdicts)} race-free programs, {total('candidates')} candidates that a detector without "
             f"synchronization names; {runs} explored schedules of each program, and {runs} more for its candidates, at "
             f"least {runs // 4} for each, in {BUDGET} seconds at most: "
             f"**{sum(len(verdict.false_alarms) for verdict in wrong)} confirmed or gone wrong** but for what follows.",
             f"- {total('flags')} of the candidates are flags that a loop waits for, the synchronization itself: they may "
             f"be brought together."]
    lines += [f"- `{verdict.name}`: {'; '.join(verdict.false_alarms)}" for verdict in wrong]
    lines += [f"- `{verdict.name}` is race-free in its own order alone: {'; '.join(verdict.promised)}"
              for verdict in verdicts if verdict.promised]
    if short := [f"`{verdict.name}` ({verdict.explored})" for verdict in verdicts if verdict.explored < runs]:
        lines.append(f"- fewer schedules were explored, in that time, of {len(short)} programs: {', '.join(short)}")
    lines += [f"- `{verdict.name}`: promised and not seen: {', '.join(verdict.missed)}"
              for verdict in verdicts if verdict.missed]
    return lines


def report_check(verdicts, runs):
    false = [verdict for verdict in verdicts if verdict.false_alarms]
    missed = [verdict for verdict in verdicts if verdict.missed]
    races = sum(verdict.confirmed for verdict in verdicts)
    lines = [f"{len(verdicts)} programs, {runs} runs for each candidate: {races} races confirmed, "
             f"{sum(len(verdict.false_alarms) for verdict in false)} false alarms, "
             f"{sum(len(verdict.missed) for verdict in missed)} promised races not confirmed in {len(missed)} programs."]
    lines += [f"- false alarm: `{verdict.name}`: {'; '.join(verdict.false_alarms)}" for verdict in false]
    lines += [f"- missed: `{verdict.name}`: {', '.join(verdict.missed)}" for verdict in missed]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("false", "check"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--document")
    parser.add_argument("-o", dest="directory", required=True)
    arguments = parser.parse_args()
    top = pathlib.Path(arguments.directory).absolute()
    ask, runs = (refute, arguments.runs or 100) if arguments.what == "false" else (judge, arguments.runs or 20)

    deadline = time.monotonic() + arguments.within

    def one(program):
        name = f"{program.source.relative_to(HERE.parent).parent}/{program.name}"
        directory = top / name.replace("/", "-")
        kept = directory / f"{arguments.what}-{runs}.json"
        if arguments.resume and kept.exists():
            return Verdict(**json.loads(kept.read_text()))
        if time.monotonic() > deadline:
            return None
        begin = time.monotonic()
        try:
            verdict = ask(program, directory, runs)
            kept.write_text(json.dumps(dataclasses.asdict(verdict)))
        except Exception as error:  # one program's trouble must not hide the others' verdicts
            verdict = Verdict(name, trouble=f"{type(error).__name__}: {error}")
        wrong = "; ".join([*verdict.false_alarms, *verdict.trouble.splitlines()[:1]])
        print(f"{time.monotonic() - begin:6.1f} s {name} {wrong}", file=sys.stderr, flush=True)
        return verdict

    programs = [program for program in sources()
                if re.search(arguments.only, f"{program.source.relative_to(HERE.parent).parent}/{program.name}")
                and not program.lacks_header() and (arguments.what == "check" or program.norace)]
    if arguments.within != float("inf"):
        random.Random(SEED).shuffle(programs)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        verdicts = [verdict for verdict in pool.map(one, programs) if verdict]
    lines = (report_false if arguments.what == "false" else report_check)(verdicts, runs)
    if len(verdicts) < len(programs):
        lines[0] = f"Of {len(programs)} programs, as many as there was time for: " + lines[0]
    troubles = [f"- trouble: `{verdict.name}`: {verdict.trouble.splitlines()[0][:200]}" for verdict in verdicts if verdict.trouble]
    print("\n".join([*lines, *troubles]))
    if arguments.document:
        document.write(f"verdicts.py {arguments.what}", [*lines, *troubles], arguments.document)
    wrong = any(verdict.false_alarms or (arguments.what == "false" and verdict.missed) for verdict in verdicts)
    return 1 if wrong or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
