#!/usr/bin/env python3
"""Checks that an engine or a strategy is added by its row: rows.py [ROOT]

Nobody compares with an engine or a strategy, but for the room that has it: what makes it differ from others for whoever
uses it stands in its row (core/engine/engines.h, schedule/strategies.h), and is asked there. ("off" is no strategy.)
"""
import os
import re
import sys

from tracked import project_root, report, tracked_files

ASKED = re.compile(r"(?:[=!]=|\bcase)\s*(?:\w+::)*((?:EngineKind|StrategyKind)::k(?!Off\b)\w+)")
OWN = {"EngineKind": "core/engine/", "StrategyKind": "schedule/"}


def faults(root, tracked):
    for path in tracked:
        if not path.endswith((".h", ".cc")) or path.endswith("_test.cc"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for name in ASKED.findall(line.split("//")[0]):
                    if not path.startswith(OWN[name.split("::")[0]]):
                        yield f"{path}:{number}: asks for {name}"


def main():
    root = project_root()
    return report(faults(root, tracked_files(root)), "engines and strategies are asked for by their rows")


if __name__ == "__main__":
    sys.exit(main())
