#!/usr/bin/env python3
"""The documents' worked examples: what a person judges of them, and what norn says. A table of docs/accuracy.md.

    figures.py [--write] [--level=-O1]

The programs are those named after a figure or a listing of the thesis. What a person judges stands in their lines
(../behaviour/program.py); each is built and run with norn's default options, in every order of arrival that it names.
--write puts the table into docs/accuracy.md. The exit status is 1 where norn says something else.

The tools are taken from the directory that NORN_BIN names.
"""

import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

from accuracy import execute, put_between
from waiting import HERE, WaitingProgram, check

BEGIN, END = "<!-- made by tests/loops/figures.py: begin -->\n", "<!-- made by tests/loops/figures.py: end -->\n"
KINDS = {"fig": "figure", "listing": "listing"}
STRONGEST = ("observed", "predicted", "none")


def example_of(program):
    """("figure", 7, 10), by the name of the program; None if it is of no figure."""
    named = re.match(r"(fig|listing)-(\d+)-(\d+)-", program.name)
    return named and (KINDS[named[1]], int(named[2]), int(named[3]))


def judged(program):
    return {(race.standing, name) for name, race in program.races.items()}


def said(program, command, directory):
    """{(standing, variable)} of the marked races that norn reports; what else it reports is named by its lines."""
    norn = str(pathlib.Path(os.environ["NORN_BIN"]) / "norn")
    path = directory / "report.json"
    path.unlink(missing_ok=True)
    execute([norn, "run", "--fail-on=none", f"--json={path}", "--", *command], directory)
    found = set()
    for standing, location, lines in check.reports_in(json.loads(path.read_text()), program.source):
        names = [name for name, race in program.races.items() if name in location and all(map(race.allows, lines))]
        found.add((standing, names[0] if names else f"lines {lines}"))
    return found


def in_words(races):
    kinds = sorted({standing for standing, _ in races}, key=STRONGEST.index)
    return ", ".join(f"{kind}: " + ", ".join(f"`{name}`" for standing, name in sorted(races) if standing == kind)
                     for kind in kinds) or "none"


def title(program):
    """The first sentence of the program's first comment, without where it stands in the thesis."""
    comment = re.match(r"((?://.*\n)+?)(?=// (?:NORACE|[A-Z-]+:))", program.source.read_text())[1]
    sentence = re.split(r"\. (?=[A-Z(])", comment.replace("\n", "").replace("// ", " ").strip())[0]
    return re.sub(r"^Thesis, (figures?|listing) [\d.]+( and [\d.]+)*[:,]? ", "", sentence).rstrip(".")


def row(program, level):
    bin_dir = pathlib.Path(os.environ["NORN_BIN"])
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        compilers = str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++")
        command = program.build(*compilers, level, str(directory / "program"), [])
        answers = {"".join(arrival): said(program, [*command, *arrival], directory) for arrival in program.arrivals}
    is_right = all(answer == judged(program) for answer in answers.values())
    alike = len({frozenset(answer) for answer in answers.values()}) == 1
    words = in_words(next(iter(answers.values()))) if alike else "; ".join(
        f"{order} first: {in_words(answer)}" for order, answer in answers.items())
    kind, chapter, number = example_of(program)
    orders = "both" if len(answers) == 2 else next(iter(answers)) or "its own"
    judgement = in_words(judged(program))
    cells = [f"{kind} {chapter}.{number}", f"`{program.name}`", title(program), judgement, orders, words]
    return is_right, f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="into docs/accuracy.md")
    parser.add_argument("--level", default="-O1", help="of optimisation: --level=-O2")
    arguments = parser.parse_args()
    if "NORN_BIN" not in os.environ:
        parser.error("where are norn's tools? set NORN_BIN=build/bin")
    os.environ["NORN_BIN"] = os.path.abspath(os.environ["NORN_BIN"])
    programs = [WaitingProgram(path) for path in sorted(HERE.glob("*.c"))]
    programs = sorted((program for program in programs if example_of(program)), key=lambda p: (example_of(p), p.name))
    rows = [row(program, arguments.level) for program in programs]
    right = sum(is_right for is_right, _ in rows)
    summary = f"{len(rows)} programs, built at `{arguments.level}`; of {right} norn says what a person judges."
    text = "\n".join([summary, "", "| | program | | a person | orders of arrival | norn |",
                      "| --- | --- | --- | --- | --- | --- |", *(line for _, line in rows)]) + "\n"
    print(text, end="")
    if arguments.write:
        put_between(BEGIN, END, text)
    return 0 if right == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
