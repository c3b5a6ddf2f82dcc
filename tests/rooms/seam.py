#!/usr/bin/env python3
"""Checks that front ends emit events by the emitter alone: seam.py [ROOT]

A call of the detector for something that the emitter (core/emitter_inline.h) has a function for is an error: listeners and a recorder would
not hear of it. Fast paths of accesses and questions to the detector have no such function.
"""
import os
import re
import subprocess
import sys

EMITTED = re.compile(r"detector_\.(\w+)\(")


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../.."))
    with open(os.path.join(root, "core/emitter_inline.h"), encoding="utf-8") as file:
        events = sorted(set(EMITTED.findall(file.read())))
    around = re.compile(r"\bdetector\.(" + "|".join(events) + r")\(")
    tracked = subprocess.run(["git", "-C", root, "ls-files", "runtime", "valgrind"], capture_output=True, text=True,
                             check=True).stdout.split("\n")
    found = 0
    for path in tracked:
        if not path.endswith((".h", ".cc")) or not os.path.exists(os.path.join(root, path)):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if match := around.search(line):
                    print(f"{path}:{number}: detector.{match[1]}() goes around the emitter")
                    found += 1
    print(f"{len(events)} kinds of calls, {found} around the emitter")
    return 1 if found or len(events) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
