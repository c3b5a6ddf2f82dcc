#!/usr/bin/env python3
"""Does what the compiler does for speed lose or invent a race? Builds programs with and without, runs both, compares.

    differential.py --bin BUILD/bin [--programs N] [--first SEED] [--behaviour] [--each] [--sampling] [--keep DIR]

Programs are random ones (generate.py) and, with --behaviour, those of tests/behaviour. Each is built with
-fnorn-prune=none, with all rules, with --each by each rule alone, and with --sampling in the sampling profile, which may
lose races but invent none (of random programs alone; tests/sampling has the others). Every race of the one must be
matched by one of the other that stands no lower and is on the same location (words of global variables, heap blocks by
where they were allocated, locals by where they are shared); and nothing may crash. norn reports a pair of sites once, on
the first location it races on: so a race on another location also matches if its pair of lines is the same, or if it is
on the same variable and one of the lines is. Random programs are built at -O0 to -O3 in turn, some with -flto, some as
whole programs.
"""

import argparse
import bisect
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BEHAVIOUR = HERE.parent / "behaviour"
sys.path[:0] = [str(HERE), str(BEHAVIOUR)]

import generate  # noqa: E402
from program import Program, clean_environment, programs_in  # noqa: E402

RULES = ["covered", "covered,calls", "escape", "constants", "early", "inline", "inline,runs"]
SAMPLING = "sampling"  # in the place of a rule: the profile
SECONDS = 120
RACES_FOUND = 66
WORD = 4
STRENGTH = {"predicted": 1, "observed": 2}


class Wrong(Exception):
    """What a program or the compiler did, in a sentence."""


def run(command, what, **options):
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, **options)
    except subprocess.TimeoutExpired as late:
        raise Wrong(f"{what}: not done after {SECONDS} s") from late
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


class Symbols:
    """The variables of an executable, by address."""

    def __init__(self, path):
        _, listing, _ = run(["llvm-nm-19", "-S", "--defined-only", path], "llvm-nm")
        found = []
        for line in listing.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "bBdDrRvVuw":
                found.append((int(words[0], 16), int(words[1], 16), words[3]))
        self.found = sorted(found)
        self.starts = [address for address, _, _ in self.found]

    def name(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at >= 0 and address < self.found[at][0] + self.found[at][1]:
            return f"{self.found[at][2]}+{(address - self.found[at][0]) // WORD * WORD}"
        return None


def lines_of(frames, source):
    return [frame["line"] for frame in frames if os.path.basename(frame.get("file") or "") == source.name]


def locations(race, symbols, source, marks):
    """The names of what a race is on, such that two builds of one program give the same."""
    where = race["location"]
    accesses = [line for access in race["accesses"] for line in lines_of([access["site"] or {}, *access["stack"]], source)]
    marked = {marks[line] for line in accesses if line in marks}
    if marked:
        return {min(marked)}
    address = int(where["address"], 16)
    words = {symbols.name(at) for at in range(address, address + max(where["size"], 1))}
    if words != {None}:
        return {word for word in words if word is not None}
    allocated = lines_of(where.get("allocated_at") or [], source)
    if allocated:
        return {f"heap allocated at line {allocated[0]}"}
    return {f"{where['kind']} {re.split('[^A-Za-z_0-9:]', where.get('name') or '')[0]}"}


@dataclasses.dataclass(frozen=True)
class Race:
    standing: str
    places: frozenset  # locations, as `locations` names them
    lines: tuple       # of both accesses, in the program's own source, sorted

    def matches(self, other):
        """Whether `other` tells as much."""
        if STRENGTH[other.standing] < STRENGTH[self.standing]:
            return False
        if self.places & other.places or self.lines == other.lines:
            return True
        variables = [{place.split("+")[0] for place in race.places} for race in (self, other)]
        return bool(variables[0] & variables[1] and set(self.lines) & set(other.lines))

    def __str__(self):
        lines = " and ".join(str(line) for line in self.lines)
        return f"{self.standing} race on {', '.join(sorted(self.places))}, lines {lines}"


def found_by(norn, command, source, options, executable):
    """The races of a run, and what it printed."""
    report = pathlib.Path(f"{executable}.json")
    report.unlink(missing_ok=True)
    status, printed, errors = run([norn, "run", f"--json={report}", *options, "--", *command], "norn run",
                                  env=clean_environment(), cwd=report.parent)
    if not report.exists():
        raise Wrong(f"no report; status {status}: {errors[-2000:]}")
    told = json.loads(report.read_text())
    marks = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if mark := re.search(r"// (spawn\d+)$", line):
            marks[number] = mark.group(1)
    symbols = Symbols(executable)
    found = set()
    for race in told["races"]:
        lines = [lines_of([access["site"] or {}, *access["stack"]], source) for access in race["accesses"]]
        found.add(Race(race["standing"], frozenset(locations(race, symbols, source, marks)),
                       tuple(sorted(own[0] if own else 0 for own in lines))))
    return found, (printed, told["exit"])


def flag_of(rule):
    return "-fnorn-profile=sampling" if rule == SAMPLING else f"-fnorn-prune={rule}"


def difference(rule, without, pruned):
    lost = [race for race in without if rule != SAMPLING and not any(race.matches(other) for other in pruned)]
    invented = [race for race in pruned if not any(race.matches(other) for other in without)]
    return [f"lost: {race}" for race in lost] + [f"invented: {race}" for race in invented]


def compare(build, norn, source, options, rules, race_free=False, same_output=True):
    """What is wrong with one program: sentences. `build(rule)` gives the command and the executable."""
    try:
        command, executable = build("none")
        without, told = found_by(norn, command, source, options, executable)
        wrong = [f"{race}, but it has no race" for race in without if race_free]
        for rule in rules:
            command, executable = build(rule)
            pruned, told_pruned = found_by(norn, command, source, options, executable)
            wrong += [f"{rule}: {sentence}" for sentence in difference(rule, without, pruned)]
            if same_output and told != told_pruned:
                wrong.append(f"{rule}: printed and ended {told_pruned}, not {told}")
        return wrong
    except Wrong as sentence:
        return [str(sentence)]


def check_random(seed, bin_dir, rules, directory):
    source = directory / f"random{seed}.cpp"
    source.write_text(generate.generate(seed))
    flags = [f"-O{seed % 4}"]
    if seed % 7 in (1, 4):
        flags += ["-flto", "-fuse-ld=lld"]
    if seed % 7 == 1:
        flags += ["-fnorn-whole-program"]

    def build(rule):
        executable = str(directory / f"random{seed}.{rule.replace(',', '-')}")
        status, _, errors = run([bin_dir / "norn-c++", "-std=c++20", "-g", "-pthread", "-no-pie", "-I", str(BEHAVIOUR),
                                 flag_of(rule), *flags, str(source), "-o", executable], "norn-c++")
        if status != 0:
            raise Wrong(f"norn-c++ {' '.join(flags)} {flag_of(rule)}: {errors[-3000:]}")
        return [executable], executable

    wrong = compare(build, str(bin_dir / "norn"), source, [], rules, race_free=seed % 4 == 3)
    return f"random program {seed} {' '.join(flags)}", wrong


def check_behaviour(path, level, bin_dir, rules, directory):
    program = Program(path)
    title = f"{program.name} {level}"
    if program.lacks_header():
        return title, []

    def build(rule):
        executable = str(directory / f"{program.name}{level}.{rule.replace(',', '-')}")
        try:
            command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level, executable,
                                    ["-no-pie", flag_of(rule)])
        except subprocess.CalledProcessError as failed:
            raise Wrong(f"{flag_of(rule)} does not build: {failed}") from failed
        return command, executable

    rules = [rule for rule in rules if rule != SAMPLING]
    wrong = compare(build, str(bin_dir / "norn"), program.source, program.options, rules, same_output=False)
    return title, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--behaviour", action="store_true")
    parser.add_argument("--filter", default="", help="of behaviour programs, a regular expression")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--sampling", action="store_true")
    parser.add_argument("--keep", help="where to leave programs and reports")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    os.environ["NORN_VERIFY"] = "1"
    bin_dir = pathlib.Path(arguments.bin).absolute()
    rules = ["all", *(RULES if arguments.each else []), *([SAMPLING] if arguments.sampling else [])]
    failed = passed = 0
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(arguments.keep or temporary).absolute()
        directory.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            work = [pool.submit(check_random, seed, bin_dir, rules, directory)
                    for seed in range(arguments.first, arguments.first + arguments.programs)]
            if arguments.behaviour:
                sources = [path for path in programs_in(BEHAVIOUR) if re.search(arguments.filter, path.name)]
                work += [pool.submit(check_behaviour, path, level, bin_dir, rules, directory)
                         for path in sources for level in ("-O0", "-O2")]
            for done in concurrent.futures.as_completed(work):
                title, wrong = done.result()
                for sentence in wrong:
                    print(f"{title}: {sentence}", flush=True)
                failed += bool(wrong)
                passed += not wrong
                if not arguments.keep and title.startswith("random"):
                    for path in directory.glob(title.split()[0] + title.split()[2] + ".*"):
                        path.unlink()
    print(f"{passed} programs agree, {failed} do not")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
