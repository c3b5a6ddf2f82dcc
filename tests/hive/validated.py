#!/usr/bin/env python3
"""Does a program in the production profile ever call a race what is none, and which races does it find?

    validated.py --bin BUILD/bin [--share N] [--most N] [--level=-O1] [--names SUBSTRING…] [--verbose]

Takes the programs of tests/behaviour and tests/loops; with --share N one in N of them, chosen by a hash of the name.
Each is built with probes everywhere. An agent gives it one task at a time: the candidates of norn static that the
program has probes for, and each site that writes against itself, up to --most tasks; each detected in plain runs and,
every other one, steered to both orders. A race in a program whose comments say NORACE is a failure, and so is a
candidate found to race of which no marked race has both lines. Of the other programs it counts those of whose races one
was found.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "behaviour"), str(HERE.parent / "loops")]
from probe_agent import ALTERNATE, DETECT, INFER, PRIMARY, STEER, Agent, Task  # noqa: E402
from program import LEVELS, clean_environment, programs_in  # noqa: E402
from waiting import WaitingProgram  # noqa: E402

# Race-free by what nothing in the production profile can see, with the cause.
EXCEPTIONS = {
    "annotate-valgrind-requests-ok.c": "requests to Valgrind are instructions, and mean nothing without it",
}
SECONDS = 60
TAU = 20000  # microseconds


def probes_of(path):
    """The sites that have probes, with whether they write."""
    dump = subprocess.run(["objdump", "-s", "-j", "norn_probes", path], capture_output=True, text=True).stdout
    raw = b"".join(bytes.fromhex("".join(line.split()[1:5])) for line in dump.splitlines()
                   if re.match(r"^ [0-9a-f]+ ", line))
    entries = struct.iter_unpack("<QIBBH", raw[:len(raw) // 16 * 16])
    return {site: bool(flags & 1) for site, _, flags, _, _ in entries if not flags & 4}


def level_of(name):
    return LEVELS[zlib.crc32(name.encode()) % len(LEVELS)]


def run(command, task, directory):
    """What it said of the task; None: it did not end."""
    with Agent(directory, SECONDS) as agent:
        environment = {**clean_environment(), "NORN_HIVE_SOCKET": agent.path, "NORN_HIVE_WAIT": "20000"}
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment, cwd=directory)
        try:
            client = agent.accept()
            client.give(task)
            messages = list(client.until_gone())
            program.wait(SECONDS)
            return messages
        except (TimeoutError, subprocess.TimeoutExpired):
            program.kill()
            program.wait()
            return None


def tasks_of(probes, report, most):
    """(site a, site b, candidate or None)"""
    pairs, seen = [], set()
    for race in report["races"]:
        pair = tuple(int(access["site_id"], 16) if isinstance(access["site_id"], str) else access["site_id"]
                     for access in race["accesses"])
        if all(site in probes for site in pair) and pair not in seen:
            seen.add(pair)
            pairs.append((*pair, race))
    pairs += [(site, site, None) for site, writes in probes.items() if writes and (site, site) not in seen]
    return pairs[:most]


def line_in(access, source):
    frames = [access.get("site") or {}, *access.get("stack", [])]
    return next((frame["line"] for frame in frames if os.path.basename(frame.get("file") or "") == source.name), None)


def judge(source, bin_dir, level, most):
    """(wrong sentences, kinds of results, whether a race was found) or a sentence why not."""
    program = WaitingProgram(source)
    # Options change what is a race; some loops that wait are seen for such only when all files are compiled together.
    whole = re.search(r"^// RUN: .*%check-(lto|whole)", source.read_text(), re.M)
    if program.lacks_header() or program.known or program.options or whole or source.name in EXCEPTIONS:
        return "left out"
    with tempfile.TemporaryDirectory() as name:
        built = f"{name}/program"
        flags = ["-fnorn-profile=production", "-fnorn-probes=all"]
        try:
            command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level or level_of(source.name),
                                    built, flags)
        except RuntimeError as problem:
            return f"not built: {problem}"
        command = [*command, *program.arrivals[0]]
        analysed = subprocess.run([str(bin_dir / "norn"), "static", "--json", built], capture_output=True, cwd=name,
                                  env=clean_environment())
        report = json.loads(analysed.stdout) if analysed.returncode == 0 else {"races": []}
        wrong, kinds, found = [], [], False
        for number, (a, b, candidate) in enumerate(tasks_of(probes_of(built), report, most)):
            ways = [(INFER | DETECT, PRIMARY)]
            if number % 2 == 0:
                ways += [(INFER | DETECT | STEER, PRIMARY), (INFER | DETECT | STEER, ALTERNATE)]
            for stages, order in ways:
                said = run(command, Task(1, a, b, stages=stages, order=order, tau=TAU), name)
                if said is None:
                    wrong.append(f"{a:x}, {b:x}: the program did not end")
                    break
                results = [message.kind for message in said if hasattr(message, "kind")]
                kinds += results[-1:]
                if "race" not in results:
                    continue
                lines = candidate and [line_in(access, source) for access in candidate["accesses"]]
                marked = not program.norace and (lines is None or any(
                    all(race.allows(line) for line in lines) for race in program.races.values()))
                found |= marked
                if not marked:
                    wrong.append(f"{a:x}, {b:x} at lines {lines} with stages {stages}: called a race")
                break
        return wrong, kinds, found, bool(program.races)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--level")
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).absolute()
    sources = [path for directory in ("behaviour", "loops") for path in programs_in(HERE.parent / directory)
               if re.search(r"^// NORACE$|// RACE: ", path.read_text(), re.M)]
    sources = [path for path in sources if zlib.crc32(path.name.encode()) % arguments.share == 0]
    if arguments.names:
        sources = [path for path in sources if any(name in path.name for name in arguments.names)]
    counted, racy, found, failed, totals = 0, 0, 0, False, {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source, verdict in zip(sources, pool.map(
                lambda path: judge(path, bin_dir, arguments.level, arguments.most), sources)):
            if isinstance(verdict, str):
                failed |= verdict != "left out"
                if verdict != "left out" or arguments.verbose:
                    print(f"{source.name}: {verdict}", flush=True)
                continue
            wrong, kinds, was_found, is_racy = verdict
            counted += 1
            racy += is_racy
            found += was_found
            for kind in kinds:
                totals[kind] = totals.get(kind, 0) + 1
            for sentence in wrong:
                failed = True
                print(f"{source.name}: {sentence}", flush=True)
            if arguments.verbose:
                print(f"{source.name}: {'racy' if is_racy else 'race-free'}: {' '.join(kinds)}", flush=True)
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(totals.items()))
    print(f"{counted} programs, of {racy} racy ones {found} found; runs: {words}")
    return 1 if failed or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
