#!/usr/bin/env python3
"""Does norn change what a program does? Builds random programs natively and with norn, runs both, compares.

    unchanged.py --bin BUILD/bin [--programs N] [--first SEED] [--all | --minutes M] [--kind csmith|shapes]
                 [--levels=-O0,-O2] [--profiles=full,sampling] [--keep DIR]

Programs are csmith's (C, every third) and those of shapes.py (C++: loop nests, gotos, exceptions, vectors, threads).
Each prints a hash of what it computed, and must print the same and end in the same way whether clang built it or norn,
at the same level; nothing is reported of it, because nothing in it races. A program is built at the level that its seed
gives in the profiles full and sampling; with --all or --minutes at every level in every profile. What takes too long
natively, or csmith to make, is left out, and counted. Of a failure the sources stay where it says, with the commands.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import shapes  # noqa: E402

LEVELS = ["-O0", "-O1", "-O2", "-O3"]
PROFILES = {"full": [], "sampling": ["-fnorn-profile=sampling"], "unpruned": ["-fnorn-prune=none"],
            "whole program": ["-flto", "-fuse-ld=lld", "-fnorn-whole-program"]}
QUICK = ["full", "sampling"]
LEAST_SECONDS, MOST_SECONDS = 0.02, 0.3  # of a processor, natively; what takes longer is left out
NATIVE_SECONDS = 20
NORN_SECONDS = 300
BUILD_SECONDS = 300


@dataclasses.dataclass
class Outcome:
    status: int  # None: not done in time
    output: str
    errors: str
    seconds: float = 0.0  # of a processor

    def same_as(self, other):
        return (self.status, self.output, self.errors) == (other.status, other.output, other.errors)

    def __str__(self):
        how = "not done in time" if self.status is None else f"status {self.status}"
        return f"{how}, printed {self.output.strip()[-200:]!r}" + (f", said {self.errors.strip()[-600:]}" if self.errors else "")


def run(command, seconds, directory):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=directory)
        watchdog = threading.Timer(seconds, process.kill)
        watchdog.start()
        _, status, used = os.wait4(process.pid, 0)
        late = not watchdog.is_alive()
        watchdog.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    return Outcome(None if late else process.returncode, *texts, used.ru_utime + used.ru_stime)


class Program:
    """One random program, its native builds, and what they print."""

    def __init__(self, seed, kind, directory):
        self.seed, self.kind, self.directory = seed, kind, directory / f"{kind}{seed}"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.source = self.directory / ("program.c" if kind == "csmith" else "program.cpp")
        self.flags = ["-w", "-pthread", *(["-I/usr/include/csmith"] if kind == "csmith" else ["-std=c++20"])]
        self.arguments = []

    def write(self):
        if self.kind == "shapes":
            self.source.write_text(shapes.generate(self.seed))
            return True
        made = run(["csmith", "--seed", str(self.seed), "--output", str(self.source)], BUILD_SECONDS, self.directory)
        return made.status == 0 and self.source.exists()

    def built(self, compiler, flags, name):
        """The commands that build and run it."""
        executable = str(self.directory / name)
        return [compiler, *self.flags, *flags, str(self.source), "-o", executable], [executable]

    def native(self, level):
        """What it does when clang builds it; None if that takes too long."""
        compiler = "clang-19" if self.kind == "csmith" else "clang++-19"
        build, start = self.built(compiler, [level], f"native{level}")
        made = run(build, BUILD_SECONDS, self.directory)
        if made.status != 0:
            raise RuntimeError(f"clang does not build {self.source}: {made}")
        if self.kind == "shapes" and not self.arguments:
            self.find_rounds(start)
        outcome = run([*start, *self.arguments], NATIVE_SECONDS, self.directory)
        return None if outcome.status is None or outcome.seconds > MOST_SECONDS else outcome

    def find_rounds(self, start):
        """As many as make it neither too short to be hot nor too long for norn."""
        for rounds in ("2", "30", "300", "3000"):
            self.arguments = [rounds]
            outcome = run([*start, rounds], NATIVE_SECONDS, self.directory)
            if outcome.status is None or outcome.seconds > LEAST_SECONDS:
                return

    def clean(self):
        for path in self.directory.iterdir():
            path.unlink()
        self.directory.rmdir()


def check(seed, kind, levels, profiles, bin_dir, directory):
    """What is wrong, as sentences; how many builds were compared; whether the program was left out."""
    program = Program(seed, kind, directory)
    if not program.write():
        program.clean()
        return [], 0, True
    wrong, compared = [], 0
    for level in levels:
        native = program.native(level)
        if native is None:
            program.clean()
            return [], compared, True
        for name in profiles:
            compiler = str(bin_dir / ("norn-cc" if kind == "csmith" else "norn-c++"))
            build, start = program.built(compiler, [level, *PROFILES[name]], f"norn{level}-{name.replace(' ', '-')}")
            made = run(build, BUILD_SECONDS, program.directory)
            command = " ".join(["NORN_VERIFY=1", *build])
            if made.status != 0:
                wrong.append(f"{kind} {seed} {level} {name}: does not build: {made}\n  {command}")
                continue
            outcome = run([*start, *program.arguments], NORN_SECONDS, program.directory)
            compared += 1
            if not outcome.same_as(native):
                ran = " ".join([*start, *program.arguments])
                wrong.append(f"{kind} {seed} {level} {name}: {outcome}; natively {native}\n  {command} && {ran}")
    if not wrong:
        program.clean()
    return wrong, compared, False


def work(arguments):
    """(seed, kind, levels, profiles), one after the other."""
    everything = arguments.all or arguments.minutes
    seeds = itertools.count(arguments.first)
    if not arguments.minutes:
        seeds = itertools.islice(seeds, arguments.programs)
    for seed in seeds:
        kind = arguments.kind or ("csmith" if seed % 3 == 0 else "shapes")
        level = LEVELS[seed // 3 % len(LEVELS)]
        yield (seed, kind, arguments.levels or (LEVELS if everything else [level]),
               arguments.profiles or (list(PROFILES) if everything else QUICK))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="every level, every profile")
    parser.add_argument("--minutes", type=float, help="go on for so long, every level, every profile")
    parser.add_argument("--levels", type=lambda text: text.split(","), help="only these: -O0,-O2")
    parser.add_argument("--profiles", type=lambda text: text.split(","), help=f"only these: {','.join(PROFILES)}")
    parser.add_argument("--kind", choices=["csmith", "shapes"], help="only these")
    parser.add_argument("--keep", default="unchanged", help="where to work, and to leave what failed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    os.environ["NORN_VERIFY"] = "1"
    for name in [name for name in os.environ if name.endswith("_OPTIONS")]:
        del os.environ[name]
    bin_dir = pathlib.Path(arguments.bin).absolute()
    directory = pathlib.Path(arguments.keep).absolute()
    os.environ["NORN_DIR"] = str(directory / ".norn")
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    programs = {"csmith": 0, "shapes": 0}
    builds = left_out = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        coming, under_way = work(arguments), {}
        while True:
            while len(under_way) < arguments.jobs and time.monotonic() < end and (one := next(coming, None)):
                under_way[pool.submit(check, *one, bin_dir, directory)] = one
            if not under_way:
                break
            done, _ = concurrent.futures.wait(under_way, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                kind = under_way.pop(future)[1]
                wrong, compared, skipped = future.result()
                for sentence in wrong:
                    print(sentence, flush=True)
                failed += bool(wrong)
                left_out += skipped
                builds += compared
                programs[kind] += not skipped
    compared = sum(programs.values())
    print(f"{compared - failed} programs unchanged ({programs['csmith']} of csmith, {programs['shapes']} of shapes.py; "
          f"{builds} builds), {failed} changed, {left_out} left out")
    if failed:
        print(f"sources and executables of those changed: {directory}")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
