#!/usr/bin/env python3
"""Does norn analyze find what the run found that recorded the trace? offline.py --bin=BIN [--part=N] [SOURCE...]

Programs of tests/behaviour and tests/loops are recorded, once with each engine, and their traces analysed: the races
must have the same identities, standings and counts, and the same names of what they are on (but for variables on a
stack, which a trace does not have); lock orders must be the same. Three workers must report what one does, in full.
Built in the sampling profile, where threads record without turns, a program is judged by hb alone, and the same holds;
those of tests/sampling are built in it alone.
--part=N takes each Nth program, by a hash of its name.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "behaviour"))
from program import Program, clean_environment, programs_in  # noqa: E402

ENGINES = ("hybrid", "hb", "msm-short", "msm-long")
SAMPLED = "sampled"  # by hb, which is all that a program of the sampling profile is judged by
LEVELS = ("-O0", "-O1", "-O2")


def run(command, directory):
    environment = clean_environment()
    environment["NORN_CASEBOOK"] = "none"
    environment["NORN_DIR"] = str(directory / "norn")
    return subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=240)


def found(report):
    """What a JSON report says, as far as both must say it."""
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    races = {}
    for race in contents["races"]:
        location = race["location"]
        name = "?" if location["kind"] in ("stack", "tls", "unknown") else location["name"]
        races[race["id"]] = (race["detection"]["standing"], race["count"], name)
    hazards = {hazard["id"] for hazard in contents["hazards"] if hazard["kind"] == "lock-order"}
    return races, hazards


def whole(report, engine):
    """All of it but what was measured. Of a sampled program synchronization that brings nothing new is not counted, and
    whether it does depends on the accesses that a worker has."""
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    for key in ("seconds", "peak_rss") + (("events", "sync") if engine == SAMPLED else ()):
        contents["stats"].pop(key, None)
    return contents


def check(source, binaries):
    """What is wrong, a line each."""
    program = Program(source)
    program.include_directories.append(program.source.parent)
    if program.lacks_header():
        return [], 0
    wrong = []
    races = 0
    level = LEVELS[zlib.crc32(program.name.encode()) // 7 % len(LEVELS)]
    with tempfile.TemporaryDirectory(prefix="norn-offline-") as name:
        directory = pathlib.Path(name)

        def build(name, flags):
            return program.build(f"{binaries}/norn-cc", f"{binaries}/norn-c++", level, str(directory / name), flags)

        commands = {}
        if source.parent.name != "sampling":
            command = build("program", [])
            commands = {engine: command for engine in ENGINES}
        if {"hb", "hybrid"} & set(program.engines):
            commands[SAMPLED] = build("program.sampled", ["-fnorn-profile=sampling"])
        for engine, command in commands.items():
            shutil.rmtree(directory / "trace", ignore_errors=True)
            options = [option for option in program.options if not option.startswith("--engine")]
            judged_by = "hb" if engine == SAMPLED else engine
            recorded = run([f"{binaries}/norn", "record", f"--engine={judged_by}", *options, "--out=trace",
                            "--json=online.json", "--", *command], directory)
            if recorded.returncode == 2:
                wrong.append(f"{source} {level} {engine}: {recorded.stderr.strip()[-300:]}")
                continue
            analyses = {jobs: run([f"{binaries}/norn", "analyze", f"--jobs={jobs}", f"--json=offline{jobs}.json",
                                   "trace"], directory) for jobs in (1, 3)}
            refused = next((done for done in analyses.values() if done.returncode == 2), None)
            if refused:
                wrong.append(f"{source} {level} {engine}: {refused.stderr.strip()[-300:]}")
                continue
            if whole(directory / "offline1.json", engine) != whole(directory / "offline3.json", engine):
                wrong.append(f"{source} {level} {engine}: it depends on the number of workers")
            online, offline = found(directory / "online.json"), found(directory / "offline1.json")
            races += len(online[0])
            if online != offline:
                wrong.append(f"{source} {level} {engine}:\n  online  {online}\n  offline {offline}")
    return wrong, races


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("sources", nargs="*")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.bin)
    sources = [pathlib.Path(source) for source in arguments.sources]
    if not sources:
        sources = [source for suite in ("behaviour", "loops") for source in programs_in(HERE.parent / suite)
                   if zlib.crc32(source.name.encode()) % arguments.part == 0]
        sources += programs_in(HERE.parent / "sampling")

    def one(source):
        try:
            return check(source, binaries)
        except AssertionError:
            return [], 0  # it has its own RUN lines, and says nothing of races
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return [f"{source}: {error}"], 0

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(one, sources))
    wrong = [line for lines, _ in results for line in lines]
    races = sum(count for _, count in results)
    print("\n".join(wrong))
    print(f"{len(sources)} programs, {len(ENGINES)} engines and the sampling profile, {races} races, "
          f"{len(wrong)} differences")
    return 1 if wrong or races == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
