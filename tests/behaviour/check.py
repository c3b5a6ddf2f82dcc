#!/usr/bin/env python3
"""Builds a test program with norn's compilers at each level, runs it under norn, and compares reports with markers.

A race that is reported at two levels must have the same identity at both.

    check.py SOURCE -o PREFIX [--levels=-O0,-O1,-O2,-O2+-flto|one|two] [--binary=gcc|clang | --tsan=gcc|clang]

`one` is one of the levels, by the program's name; `two` (the default) is -O0 and one of the others, by its name, and all
of them with NORN_TEST_FULL in the environment.

With --binary the program is built by an ordinary compiler and runs under the Valgrind front end, which does not know
what a statement calls the memory it accesses: standings and lines must be the same.

With --tsan an ordinary compiler compiles it for ThreadSanitizer, and norn links it: as with --binary.

The tools are taken from the directory that NORN_BIN names. program.py says what the comments of SOURCE mean.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib

from program import LEVELS, Program, clean_environment, compare, two_levels

RACES_FOUND = 66
# A tail call leaves no frame that a tool for binaries could find. Valgrind 3.19 does not read all of clang's DWARF 5.
PLAIN_FLAGS = ["-fno-optimize-sibling-calls"]
PLAIN_COMPILERS = {"gcc": ("gcc-12", "g++-12", PLAIN_FLAGS),
                   "clang": ("clang-19", "clang++-19", [*PLAIN_FLAGS, "-gdwarf-4"])}
# Without it clang does not say that x++ reads.
TSAN_FLAGS = {"gcc": [], "clang": ["-mllvm", "-tsan-compound-read-before-write"]}
SECONDS = 120


def line_in(source, access):
    """The line of the innermost frame of an access that stands in the test's own source; None if there is none."""
    for frame in [access.get("site") or {}, *access.get("stack", [])]:
        if os.path.basename(frame.get("file") or "") == source.name:
            return frame["line"]
    return None


def reports_in(report, source):
    for race in report["races"]:
        if race.get("suppressed"):
            continue
        lines = [line_in(source, access) for access in race["accesses"]]
        yield race["standing"], race["location"].get("name") or "", lines


def flags_wrong_in(report, program):
    """What is wrong with what is told as flags, in words."""
    found = {}
    for flag in report["flags"]:
        lines = {line_in(program.source, access) for access in flag["accesses"]}
        found.setdefault(flag["location"].get("name") or "", set()).update(lines)
    if found == program.flag_lines:
        return []
    return [f"told as flags is {found}, not {program.flag_lines}"]


def stacks_in(report):
    for race in report["races"]:
        for access in race["accesses"]:
            yield [frame.get("function") or "" for frame in access["stack"]]


def has_in_order(stack, functions):
    frames = iter(stack)
    return all(any(function in frame for frame in frames) for function in functions)


def check_report(program, engine, report, has_names=True):
    expected = program.expected(engine)
    has_names = has_names and report["front_end"] != "valgrind"
    if not has_names:
        expected = {name: dataclasses.replace(race, is_label=True) for name, race in expected.items()}
    wrong = compare(program, expected, list(reports_in(report, program.source)))
    if program.says_flags and has_names:
        wrong += flags_wrong_in(report, program)
    if report.get("norn") != 1:
        wrong.append("the report is not of version 1")
    for race in report["races"]:
        if len(race["accesses"]) != 2 or not all(access["stack"] for access in race["accesses"]):
            wrong.append(f"{race['id']} has not two accesses with a stack each")
    stacks = list(stacks_in(report))
    for functions in program.stacks:
        if not any(has_in_order(stack, functions) for stack in stacks):
            wrong.append(f"no stack has {' in '.join(functions)}: {stacks}")
    for function in program.not_stack:
        if any(has_in_order(stack, [function]) for stack in stacks):
            wrong.append(f"a stack has {function}, which had been left: {stacks}")
    return wrong


def pair_of(race):
    """What makes two reports of different builds the same race: both statements, and what each does, in which code."""
    def key(access):
        places = [access.get("site") or {}, *access["stack"][:1]]
        return (access["op"], *((place.get("line"), place.get("column"), place.get("function")) for place in places))
    return tuple(sorted(map(key, race["accesses"]), key=str))


def differing_ids(reports):
    """Sentences on races that have one identity in one build and another in another. `reports` by build."""
    ids = {}
    for build, report in reports.items():
        for race in report["races"]:
            ids.setdefault(pair_of(race), {}).setdefault(build, set()).add(race["id"])
    wrong = []
    for pair, of_builds in ids.items():
        builds = list(of_builds)
        wrong += [f"{pair} is {of_builds[builds[0]]} at {builds[0]} and {of_builds[other]} at {other}"
                  for other in builds[1:] if not of_builds[builds[0]] & of_builds[other]]
    return wrong


def run(program, command, engine, prefix, options=(), has_names=True):
    """Runs the built program under norn; returns (what is wrong, norn's standard error)."""
    norn = str(pathlib.Path(os.environ["NORN_BIN"]) / "norn")
    json_path = pathlib.Path(f"{prefix}.json")
    json_path.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            [norn, "run", f"--engine={engine}", f"--json={json_path}", *program.options, *options, "--", *command],
            capture_output=True, timeout=SECONDS, env=clean_environment(), cwd=json_path.parent)
    except subprocess.TimeoutExpired as late:
        return [f"not done after {SECONDS} s"], (late.stderr or b"").decode(errors="replace")
    errors = done.stderr.decode(errors="replace")
    wrong = []
    stdout = done.stdout.decode(errors="replace")
    if stdout != program.stdout:
        wrong.append(f"standard output is {stdout!r}, not {program.stdout!r}")
    found = any(race.standing == "observed" for race in program.expected(engine).values())
    if found and done.returncode != RACES_FOUND:
        wrong.append(f"norn's exit status is {done.returncode}, not {RACES_FOUND}")
    if not found and not program.status_is_own(done.returncode):
        wrong.append(f"norn's exit status is {done.returncode}, not the program's own")
    if not json_path.exists():
        return [*wrong, "there is no JSON report"], errors
    report = json.loads(json_path.read_text())
    if not program.status_is_own(report["exit"]):
        wrong.append(f"the program's own exit status is reported as {report['exit']}")
    return wrong + check_report(program, engine, report, has_names), errors


def is_told(what, wrong, errors):
    """Prints what is wrong with a run, and says whether anything is."""
    for sentence in wrong:
        print(f"{what}: {sentence}")
    if wrong:
        print(errors)
    return bool(wrong)


def levels_of(arguments):
    if arguments.levels == "one":
        return [LEVELS[zlib.crc32(pathlib.Path(arguments.source).name.encode()) % len(LEVELS)]]
    return two_levels(arguments.source) if arguments.levels == "two" else arguments.levels.split(",")


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("-o", dest="prefix", required=True)
    parser.add_argument("--levels", default="two")
    parser.add_argument("--binary", choices=list(PLAIN_COMPILERS), help="no norn-cc, and the Valgrind front end")
    parser.add_argument("--tsan", choices=list(PLAIN_COMPILERS), help="compiled by it for ThreadSanitizer")
    arguments = parser.parse_args(words)
    program = Program(arguments.source)
    lacking = program.lacks_header()
    if lacking:
        print(f"skipped: there is no {lacking}")
        return 0
    bin_dir = pathlib.Path(os.environ["NORN_BIN"])
    compilers = [str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++")]
    options, flags, linkers = [], [], None
    other = arguments.binary or arguments.tsan
    if other:
        *compilers, flags = PLAIN_COMPILERS[other]
    if arguments.binary:
        options = ["--binary"]
    if arguments.tsan:
        flags = [*PLAIN_FLAGS, "-fsanitize=thread", *TSAN_FLAGS[other]]
        linkers = [str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++")]
    prefix = pathlib.Path(arguments.prefix).absolute()
    prefix.mkdir(parents=True, exist_ok=True)
    failed = False
    reports = {}
    for level in levels_of(arguments):
        built = str(prefix / f"program{level}")
        command = program.build(*compilers, level, built, flags, linkers)
        for engine in program.engines:
            wrong, errors = run(program, command, engine, f"{built}.{engine}", options, not other)
            failed |= is_told(f"{program.name} at {level}, {engine}", wrong, errors)
            report = pathlib.Path(f"{built}.{engine}.json")
            if report.exists():
                reports[f"{level}, {engine}"] = json.loads(report.read_text())
    if not other:
        failed |= is_told(program.name, differing_ids(reports), "")
    if not failed:
        shutil.rmtree(prefix)  # all programs at all levels together are gigabytes
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
