#!/usr/bin/env python3
"""Checks that order.py finds what it is there to find: a house of three rooms, each time with one thing wrong."""
import os
import subprocess
import sys
import tempfile

ORDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.py")
HOUSE = {
    "ARCHITECTURE.md": "## The rooms\n| room | what it is |\n| `base/` | a |\n| `core/` | b |\n| `cli/` | c |\n| `tests/` | d |\n\n## More\n",
    "base/text.h": "",
    "core/detector.h": '#include "base/text.h"\n#include <string>\n',
    "core/detector.cc": '#include "core/detector.h"\n',
    "cli/main.cc": '#include "core/detector.h"\n  #  include "base/text.h"\n',
    "tests/all.cc": '#include "cli/main.h"\n',
}
# What is added to the house, and what is said then.
WRONG = [
    ({"base/bad.h": '#include "core/detector.h"\n'}, "base/bad.h: base/ stands before core/ and may not use core/detector.h"),
    ({"core/bad.cc": '#include <a>\n #include "cli/verb.h"\n'}, "core/bad.cc: core/ stands before cli/ and may not use cli/verb.h"),
    ({"cli/detector.cc": ""}, "detector: a file of this name is in cli and core"),
    ({"attic/box.cc": ""}, "attic/box.cc: ARCHITECTURE.md knows no room attic/"),
    ({f"core/part{i}.cc": "" for i in range(36)}, "core/ has 38 source files: it wants subfolders"),
]


def said_of(files):
    """The status and words of order.py, in a tree of its own with these files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", "-C", root, *command], check=True)
        run = subprocess.run([sys.executable, ORDER, root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.strip()


def main():
    wrong = []
    for added, words, status in [({}, "5 files of 3 rooms are in order", 0)] + [(a, w, 1) for a, w in WRONG]:
        got = said_of(HOUSE | added)
        if got != (status, words):
            wrong.append(f"expected {status} {words!r}, got {got[0]} {got[1]!r}")
    print("\n".join(wrong) if wrong else f"{len(WRONG)} wrong houses were found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
