#!/usr/bin/env python3
"""Checks that what documents point at is there: documents.py [ROOT]

Links lead to files and headings that exist. The files that ARCHITECTURE.md names exist. Its walks name functions that
are defined, fewer than fifteen each. docs/README.md lists every document, and docs/performance.md has 2,000 words at
most.
"""
import os
import re
import sys

from tracked import project_root, report, tracked_files

LINK = re.compile(r"\]\(([^)\s]+)\)")
NAME = re.compile(r"`([^`\s]+)`")
MOST_IN_A_WALK = 14
MOST_WORDS = {"docs/performance.md": 2000}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def anchor_of(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def dead_links(root, path, text):
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(os.path.join(root, target)):
            yield f"{path}: {link} leads nowhere"
        elif anchor and target.endswith(".md"):
            headings = re.findall(r"^#+ (.*)$", read(root, target), re.MULTILINE)
            if anchor not in map(anchor_of, headings):
                yield f"{path}: {target} has no heading for {link}"


def missing_files(tracked, text):
    """Of what stands in backquotes and has a file's name."""
    for name in NAME.findall(text):
        if not re.fullmatch(r"[\w./*-]+\.(h|cc|c|py)", name) or "*" in name:
            continue
        if not any(("/" + file).endswith("/" + name) for file in tracked):
            yield f"ARCHITECTURE.md: there is no {name}"


def walks(text):
    """Title and function names of each: a line of the first, a paragraph of the others."""
    section = text[text.index("## Three walks"):]
    section = section[:section.index("\n## ", 1)]
    for block in re.findall(r"^(?:- |\*\*)[^\n]*", section, re.MULTILINE):
        names = [name for name in NAME.findall(block) if re.fullmatch(r"[\w:]+", name)]
        if names:
            yield block.split(" ", 3)[:3], names


def faults(root, tracked):
    documents = [file for file in tracked if file.endswith(".md")]
    for path in documents:
        text = read(root, path)
        yield from dead_links(root, path, text)
        if len(text.split()) > MOST_WORDS.get(path, sys.maxsize):
            yield f"{path} has {len(text.split())} words, and may have {MOST_WORDS[path]}"
    index = read(root, "docs/README.md")
    for path in documents:
        if path.startswith("docs/") and path != "docs/README.md" and f"]({path[len('docs/'):]})" not in index:
            yield f"docs/README.md does not list {path}"
    architecture = read(root, "ARCHITECTURE.md")
    yield from missing_files(tracked, architecture)
    sources = "".join(read(root, file) for file in tracked
                      if file.endswith((".h", ".cc", ".c")) and not file.startswith(("tests/", "bench/", "examples/")))
    for title, names in walks(architecture):
        if len(names) > MOST_IN_A_WALK:
            yield f"ARCHITECTURE.md: the walk {' '.join(title)} has {len(names)} functions"
        for name in names:
            last = name.split("::")[-1].rstrip("1248")  # hooks' names end in a size
            if not re.search(rf"\b{last}(##size)?\(", sources):
                yield f"ARCHITECTURE.md: the walk {' '.join(title)} names {name}, which is no function"


def main():
    root = project_root()
    return report(faults(root, tracked_files(root)), "all that documents point at is there")


if __name__ == "__main__":
    sys.exit(main())
