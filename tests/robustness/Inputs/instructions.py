#!/usr/bin/env python3
"""Fails if one command executes more than so many times the instructions of another: instructions.py TIMES CMD… -- CMD…"""
import re
import subprocess
import sys


def count(command):
    counted = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
    )
    return int(re.search(r"Collected : (\d+)", counted.stderr)[1])


def main():
    most, words = float(sys.argv[1]), sys.argv[2:]
    middle = words.index("--")
    commands = words[:middle], words[middle + 1:]
    counts = [count(command) for command in commands]
    said = ", ".join(f"{' '.join(command)}: {counted:,}" for command, counted in zip(commands, counts))
    print(f"{said}: {counts[0] / counts[1]:.2f} times, at most {most:g}")
    return counts[0] > most * counts[1]


sys.exit(main())
