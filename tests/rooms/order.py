#!/usr/bin/env python3
"""Checks that rooms use only what stands before them: order.py [ROOT]

The order is that of the table "The rooms" in ARCHITECTURE.md. An include of a file of a later room is an error, and so are
two source files of one name in different rooms, a folder with more than thirty source files, and a room that the
table does not know. tests/, bench/, examples/ and tools/ may use every room.
"""
import collections
import os
import re
import sys

from tracked import project_root, report, tracked_files

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ROW = re.compile(r"^\| (?P<rooms>`[^|]*`) \|", re.MULTILINE)
SOURCES = (".h", ".cc", ".c")
LARGEST = 30  # source files in one folder, tests beside them not counted


def rooms_in_order(architecture):
    """The rooms as the table has them, each with its rank; what stands after cli is no room."""
    start = architecture.index("## The rooms")
    rows = ROW.findall(architecture[start:architecture.index("\n## ", start)])
    rooms = [name for row in rows for name in re.findall(r"`([a-z]+)/`", row)]
    return {room: rank for rank, room in enumerate(rooms[:rooms.index("cli") + 1])}, set(rooms)


def room_of(path):
    return path.split("/", 1)[0]


def faults(root, files, ranks, known):
    """What is wrong, a line each."""
    names = collections.defaultdict(set)
    folders = collections.Counter()
    for path in files:
        room = room_of(path)
        if "/" in path and room not in known and room != "include":
            yield f"{path}: ARCHITECTURE.md knows no room {room}/"
        if room not in ranks or "/test/" in path or not path.endswith(SOURCES):
            continue
        stem = os.path.splitext(os.path.basename(path))[0]
        names[stem].add(room)
        folders[os.path.dirname(path)] += not stem.endswith("_test")
        with open(os.path.join(root, path), encoding="utf-8") as file:
            used = INCLUDE.findall(file.read())
        for include in used:
            other = room_of(include)
            if ranks.get(other, -1) > ranks[room]:
                yield f"{path}: {room}/ stands before {other}/ and may not use {include}"
    for stem, rooms in sorted(names.items()):
        if len(rooms) > 1:
            yield f"{stem}: a file of this name is in {' and '.join(sorted(rooms))}"
    for folder, number in sorted(folders.items()):
        if number > LARGEST:
            yield f"{folder}/ has {number} source files: it wants subfolders"


def main():
    root = project_root()
    with open(os.path.join(root, "ARCHITECTURE.md"), encoding="utf-8") as file:
        ranks, known = rooms_in_order(file.read())
    files = [f for f in tracked_files(root) if f.endswith(SOURCES)]
    return report(faults(root, files, ranks, known), f"{len(files)} files of {len(ranks)} rooms are in order")


if __name__ == "__main__":
    sys.exit(main())
