#!/usr/bin/env python3
"""Does a pruned build find what the full one finds?

    pruned.py --bin BUILD/bin [--share N] [--keep DIRECTORY] [--names SUBSTRING…]

Takes the programs of tests/behaviour, tests/loops and tests/standards, as recall.py does, and builds each again from its
image, with norn build --only-candidates. A run of that must report the races that the full build reports, each with its
id, and no other. What was left out in all of them together is counted.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import recall  # noqa: E402
from program import Program, clean_environment, programs_in  # noqa: E402


def pruned_run(program, bin_dir, directory):
    """Gives the races of the pruned build and how much was left out of how much, or a sentence."""
    environment = {**clean_environment(), "NORN_CASEBOOK": "none"}
    built = subprocess.run([str(bin_dir / "norn"), "build", "--only-candidates", "./program", "-o", "./pruned"],
                           capture_output=True, text=True, timeout=recall.SECONDS, cwd=directory, env=environment)
    if built.returncode != 0:
        return f"not built again: {built.stderr.strip()}"
    found = re.search(r"not checked: (\d+) of (\d+)", built.stdout)
    if found is None:
        return f"it is not said what is left out: {built.stdout}"
    new = directory / "pruned.json"
    new.unlink(missing_ok=True)
    modules = [str(directory / f"program.module{number}.so") for number in range(len(program.modules))]
    command = [str(directory / "pruned"), *modules, *program.args]
    subprocess.run([str(bin_dir / "norn"), "run", f"--json={new.name}", *program.options, "--", *command],
                   capture_output=True, timeout=recall.SECONDS, cwd=directory, env=environment)
    races = json.loads(new.read_text())["races"] if new.exists() else []
    return {race["id"] for race in races}, int(found.group(1)), int(found.group(2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="where programs and runs are kept")
    parser.add_argument("--names", nargs="*", help="only programs with one of these in their name")
    arguments = parser.parse_args()
    bin_dir = pathlib.Path(arguments.bin).absolute()
    programs = races = left_out = accesses = 0
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
            with tempfile.TemporaryDirectory(prefix="norn-pruned-") as work:
                place = arguments.keep.absolute() / name if arguments.keep else pathlib.Path(work)
                place.mkdir(parents=True, exist_ok=True)
                problem = recall.made(program, bin_dir, None, place)
                try:
                    result = problem or pruned_run(program, bin_dir, place)
                except subprocess.TimeoutExpired:
                    result = f"not done after {recall.SECONDS} s"
                if isinstance(result, str):
                    failed.append(f"{name}: {result}")
                    continue
                full = {race["id"] for race in json.loads((place / "run.json").read_text())["races"]}
            found, out, of = result
            programs += 1
            races += len(full)
            left_out += out
            accesses += of
            for race in full - found:
                failed.append(f"{name}: {race} is lost")
            for race in found - full:
                failed.append(f"{name}: {race} is invented")
    for sentence in failed:
        print(sentence)
    print(f"{programs} programs: {races} races; {left_out} of {accesses} statements that access memory were left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
