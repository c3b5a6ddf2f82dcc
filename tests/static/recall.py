#!/usr/bin/env python3
"""Is every race that a run reports among the candidates of norn static? And how many of these are false?

    recall.py --bin BUILD/bin [--pruned] [--share N] [--level=-O2] [--keep DIRECTORY] [--names SUBSTRING…]

Takes the programs of tests/behaviour, tests/loops and tests/standards; with --share N one in N of them, chosen by a
hash of the name. Each is built once, run under norn, and analysed; a race of the run (observed or predicted) must have
its id among the candidates or the flags, but for what exceptions.txt names with its cause. Then it counts: of programs
whose comments say what races in them (NORACE, RACE), candidates on lines that are no part of any race are false. All
candidates count, whatever their rank; two statements of the program are one, in however many ways library code brings
them together.

With --pruned each is built again from its image, with norn build --only-candidates: a run of that must report the races
that the full build reported, each with its id, and no other.

With --keep programs and what their runs reported are kept and not made again: whoever works on the analyses alone waits
for these alone.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "behaviour"))
from program import LEVELS, Program, clean_environment, programs_in  # noqa: E402

SECONDS = 120


def exceptions():
    """Programs whose races need not all be among the candidates, with the cause."""
    known = {}
    for line in (HERE / "exceptions.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, cause = line.split(":", 1)
            known[name.strip()] = cause.strip()
    return known


def level_of(name):
    return LEVELS[zlib.crc32(name.encode()) % len(LEVELS)]


def analysed(norn, path, cwd):
    done = subprocess.run([norn, "static", "--json", path], capture_output=True, timeout=SECONDS, cwd=cwd,
                          env=clean_environment())
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip()
    return json.loads(done.stdout), ""


def lines_of(report, source):
    """The pairs of lines of candidates, as far as they stand in the program's source."""
    for race in report["races"]:
        lines = []
        for access in race["accesses"]:
            frames = [access.get("site") or {}, *access.get("stack", [])]
            lines.append(next((frame["line"] for frame in frames
                               if os.path.basename(frame.get("file") or "") == source.name), None))
        yield race, lines


def place(frame):
    return frame.get("file"), frame.get("line"), frame.get("column")


def statements(race, source):
    """The two statements of the program that a candidate is about (of library code that nobody of the program is seen to
    call: of the library): ways through library code are one candidate, as in the text of norn static, with an id
    each."""
    own = [place(access.get("site") or {}) for access in race["accesses"]]
    files = [(access.get("stack") or [{}])[0].get("file") or "" for access in race["accesses"]]
    direct = all(os.path.basename(file) == source.name for file in files)
    return race["id"] if direct else tuple(sorted(own, key=str))


def judged(program, report):
    """How many candidates there are, and of how many no marked race has both lines."""
    false = {}
    for race, lines in lines_of(report, program.source):
        races = program.expected().values()
        wrong = not any(all(known.allows(line) for line in lines) for known in races)
        key = statements(race, program.source)
        false[key] = false.get(key, True) and wrong
    return len(false), sum(false.values())


def made(program, bin_dir, level, directory):
    """Builds and runs it in the directory, unless that was done; returns a sentence if it cannot be done."""
    run = directory / "run.json"
    if run.exists():
        return None
    try:
        command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level or level_of(program.name),
                                str(directory / "program"))
        subprocess.run([str(bin_dir / "norn"), "run", "--json=new.json", *program.options, "--", *command],
                       capture_output=True, timeout=SECONDS, cwd=directory,
                       env={**clean_environment(), "NORN_CASEBOOK": "none"})
    except RuntimeError as problem:
        return f"not built: {problem}"
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s: norn run"
    written = directory / "new.json"
    if written.exists():
        written.rename(run)
    else:
        run.write_text('{"races": []}')
    return None


def judge(program, bin_dir, level, directory):
    """Returns (races of the run, missed, candidates, false ones) or a sentence."""
    if (problem := made(program, bin_dir, level, directory)) is not None:
        return problem
    try:
        report, error = analysed(str(bin_dir / "norn"), str(directory / "program"), directory)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s: norn static"
    if report is None:
        return f"not analysed: {error}"
    seen = json.loads((directory / "run.json").read_text())["races"]
    known = {race["id"] for race in report["races"]} | {flag["id"] for flag in report["flags"]}
    missed = [race for race in seen if race["id"] not in known and not race.get("suppressed")]
    return len(seen), missed, *judged(program, report)


def prune(program, bin_dir, directory):
    """Runs the pruned build. Returns the ids it lost, those it invented, how much was left out of how much; or a
    sentence."""
    environment = {**clean_environment(), "NORN_CASEBOOK": "none"}
    built = subprocess.run([str(bin_dir / "norn"), "build", "--only-candidates", "./program", "-o", "./pruned"],
                           capture_output=True, text=True, timeout=SECONDS, cwd=directory, env=environment)
    if built.returncode != 0:
        return f"not built again: {built.stderr.strip()}"
    said = re.search(r"not checked: (\d+) of (\d+)", built.stdout)
    if said is None:
        return f"it is not said what is left out: {built.stdout}"
    new = directory / "pruned.json"
    new.unlink(missing_ok=True)
    modules = [str(directory / f"program.module{number}.so") for number in range(len(program.modules))]
    subprocess.run([str(bin_dir / "norn"), "run", f"--json={new.name}", *program.options, "--",
                    str(directory / "pruned"), *modules, *program.args],
                   capture_output=True, timeout=SECONDS, cwd=directory, env=environment)
    races = json.loads(new.read_text())["races"] if new.exists() else []
    found = {race["id"] for race in races}
    full = {race["id"] for race in json.loads((directory / "run.json").read_text())["races"]}
    return full - found, found - full, int(said.group(1)), int(said.group(2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--pruned", action="store_true", help="look at pruned builds, too")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--level", help="the level of optimisation (default: by the program's name)")
    parser.add_argument("--keep", type=pathlib.Path, help="where programs and runs are kept")
    parser.add_argument("--names", nargs="*", help="only programs with one of these in their name")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).absolute()
    allowed = exceptions()
    races = missed_races = candidates = false = programs = left_out = statements = 0
    race_free = []
    failed = []
    for directory in ("behaviour", "loops", "standards"):
        for source in programs_in(HERE.parent / directory):
            try:
                program = Program(source)
            except AssertionError:
                continue  # it says nothing of its races
            name = f"{directory}/{program.name}"
            if arguments.names and not any(part in name for part in arguments.names):
                continue
            if not arguments.names and zlib.crc32(name.encode()) % arguments.share != 0:
                continue
            if program.lacks_header():
                continue
            with tempfile.TemporaryDirectory(prefix="norn-recall-") as work:
                place = arguments.keep.absolute() / name if arguments.keep else pathlib.Path(work)
                place.mkdir(parents=True, exist_ok=True)
                result = judge(program, bin_dir, arguments.level, place)
                if arguments.pruned and not isinstance(result, str):
                    try:
                        pruned = prune(program, bin_dir, place)
                    except subprocess.TimeoutExpired:
                        pruned = f"not done after {SECONDS} s: the pruned build"
                    if isinstance(pruned, str):
                        failed.append(f"{name}: {pruned}")
                    else:
                        failed += [f"{name}: {race} is lost in the pruned build" for race in pruned[0]]
                        failed += [f"{name}: {race} is invented by the pruned build" for race in pruned[1]]
                        left_out += pruned[2]
                        statements += pruned[3]
            if isinstance(result, str):
                failed.append(f"{name}: {result}")
                continue
            programs += 1
            seen, missed, found, wrong = result
            races += seen
            candidates += found
            false += wrong
            if not program.expected():
                race_free.append(found)
            if missed and name not in allowed:
                missed_races += len(missed)
                for race in missed:
                    sides = [f"{access['op']} {(access.get('site') or {}).get('file')}:"
                             f"{(access.get('site') or {}).get('line')}" for access in race["accesses"]]
                    failed.append(f"{name}: {race['id']} on {race['location'].get('name')} is no candidate: "
                                  f"{' / '.join(sides)}")
            if arguments.verbose:
                print(f"{name}: {seen} races, {len(missed)} missed, {found} candidates, {wrong} false", flush=True)
    for sentence in failed:
        print(sentence)
    percent = 100 * false / candidates if candidates else 0
    print(f"{programs} programs: {races} races of runs, {missed_races} missed; {candidates} candidates, {false} false "
          f"({percent:.0f} %); race-free programs: median {statistics.median(race_free) if race_free else 0}, "
          f"most {max(race_free, default=0)}, {sum(1 for count in race_free if count == 0)} of {len(race_free)} with none")
    if arguments.pruned:
        print(f"pruned builds leave out {left_out} of {statements} statements that access memory")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
