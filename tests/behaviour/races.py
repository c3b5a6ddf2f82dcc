#!/usr/bin/env python3
"""Prints a JSON report as one line per race, for FileCheck:  observed x: write a.c:12 in f, read a.c:20 in g

The two accesses come in the order of their lines, whichever was first in time.

    races.py [--ids] REPORT.json…
"""

import json
import os
import sys


def describe(access):
    site = access["site"]
    return f"{access['op']} {os.path.basename(site['file'])}:{site['line']} in {site['function']}"


def place(access):
    return os.path.basename(access["site"]["file"]), access["site"]["line"]


def main():
    ids = "--ids" in sys.argv
    for path in sys.argv[1:]:
        if path.startswith("--"):
            continue
        with open(path) as file:
            report = json.load(file)
        if not ids:
            print(f"races: {sum(not race['suppressed'] for race in report['races'])}")
        for race in report["races"]:
            if ids:
                print(race["id"])
                continue
            suppressed = "suppressed " if race["suppressed"] else ""
            accesses = ", ".join(describe(access) for access in sorted(race["accesses"], key=place))
            print(f"{suppressed}{race['standing']} {race['location']['name']}: {accesses}")
        if not ids:
            print(f"exit: {report['exit']}")


main()
