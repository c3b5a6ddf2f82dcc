#!/usr/bin/env python3
"""What the reader says of every address of a program, beside what LLVM's symbolizer says of it; and that it ends, whatever
the bytes are.

    dwarf_test.py DWARF_PRINT DIRECTORY
"""

import json
import os
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILDS = {
    "gcc-O0": ["g++-12", "-O0", "-g"],
    "gcc-O2": ["g++-12", "-O2", "-g"],
    "gcc-dwarf-4": ["g++-12", "-O2", "-g", "-gdwarf-4"],
    "clang-O0": ["clang++-19", "-O0", "-g"],
    "clang-O2": ["clang++-19", "-O2", "-g"],
    "clang-sections": ["clang++-19", "-O2", "-g", "-gdwarf-4", "-ffunction-sections", "-Wl,--gc-sections"],
}
STEP = 3  # bytes between two addresses
MUTANTS = 40


def addresses_in(program):
    listed = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    found = set()
    for words in map(str.split, listed.splitlines()):
        if len(words) == 4 and words[2] in "tTwW":
            found.update(range(int(words[0], 16), int(words[0], 16) + int(words[1], 16), STEP))
    return sorted(found)


def frames_by_norn(reader, programs, addresses):
    lines = subprocess.run([reader, *programs], input="\n".join(map(hex, addresses)) + "\n", capture_output=True, text=True,
                           check=True).stdout.split("\n")[:-1]
    frames = [[]]
    for line in lines:
        if not line:
            frames.append([])
            continue
        function, directory, file, row, column = line.split("|")
        frames[-1].append((function, os.path.normpath(os.path.join(directory, file)), int(row), int(column)))
    return frames[:-1]


def frames_by_llvm(program, addresses):
    command = ["llvm-symbolizer-19", "--inlines", "--output-style=JSON", "--functions=short", f"--obj={program}"]
    done = subprocess.run(command, input="\n".join(map(hex, addresses)) + "\n", capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        symbols = json.loads(line)["Symbol"]
        yield [(symbol["FunctionName"], os.path.normpath(symbol["FileName"]), symbol["Line"], symbol["Column"])
               for symbol in symbols if symbol["FileName"]]


def same(mine, theirs):
    """LLVM's short names have no scopes."""
    return len(mine) == len(theirs) and all(
        a[1:] == b[1:] and (a[0] == b[0] or a[0].endswith("::" + b[0])) for a, b in zip(mine, theirs))


def check_names(reader, program, others):
    addresses = addresses_in(program)
    mine = frames_by_norn(reader, [*others, program], addresses)
    theirs = list(frames_by_llvm(program, addresses))
    assert len(mine) == len(theirs) == len(addresses), (len(mine), len(theirs), len(addresses))
    wrong = [(hex(address), a, b) for address, a, b in zip(addresses, mine, theirs) if not same(a, b)]
    named = sum(bool(frames) for frames in mine)
    assert not wrong, f"{program}: {len(wrong)} of {len(addresses)} differ, first {wrong[0]}"
    assert named > len(addresses) // 2, f"{program}: only {named} of {len(addresses)} have a name"
    functions = {frame[0] for frames in mine for frame in frames}
    for wanted in ("bank::Account::deposit", "bank::Account::Rate::of<double>", "work", "main::Local::operator()"):
        assert wanted in functions or "O2" in program or "sections" in program or "dwarf" in program, \
            f"{program}: nothing is called {wanted}"
    return len(addresses)


def check_damaged(reader, program, seed):
    """Bytes of the debug information are changed: the reader may say anything, and must end."""
    chance = random.Random(seed)
    sections = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    places = []
    for line in sections.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1].startswith(".debug"):
            places.append((int(words[4], 16), int(words[5], 16)))
    addresses = addresses_in(program)[::97]
    damaged = f"{program}.damaged"
    original = pathlib.Path(program).read_bytes()
    for _ in range(MUTANTS):
        content = bytearray(original)
        for _ in range(chance.choice((1, 4, 64))):
            begin, size = chance.choice(places)
            content[begin + chance.randrange(size)] = chance.randrange(256)
        if chance.random() < 0.2:
            content = content[:chance.randrange(64, len(content))]
        pathlib.Path(damaged).write_bytes(content)
        done = subprocess.run([reader, damaged], input=("\n".join(map(hex, addresses)) + "\n").encode(),
                              capture_output=True, timeout=60)
        assert done.returncode in (0, 2), f"{damaged}: the reader ended with {done.returncode}"


def main():
    reader, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    others = []  # what the reader had open before
    for name, command in BUILDS.items():
        program = str(directory / name)
        subprocess.run([*command, "-pthread", str(HERE / "test" / "shapes.cpp"), "-o", program], check=True)
        print(f"{name}: {check_names(reader, program, others)} addresses, all as llvm-symbolizer has them")
        check_damaged(reader, program, name)
        others = [program]


main()
