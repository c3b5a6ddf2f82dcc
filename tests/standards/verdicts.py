#!/usr/bin/env python3
"""Who is right about the programs of this suite? One table, a row a program, in docs/accuracy.md.

    verdicts.py [--write] [--level=-O1] [--jobs=N] [--detectors=norn,tsan,helgrind] [TEST…]

Each program is built once for each detector and run once. A report is a race of the program if both its places are
lines that say so (of a peer: those that it knows); norn's must also name the variable. What is told otherwise is a
*false alarm*, in a racy program too; a racy program of which no race is told is *missed*; one that hangs or does not
end as it should has *failed*. Standings do not matter here, nor whether all marked lines are told: lit judges that, of
norn alone. --write puts the table into docs/accuracy.md, where programs that were not named keep the row that they
have.

norn's tools are taken from the directory that NORN_BIN names.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "loops"))

import accuracy  # noqa: E402
from waiting import WaitingProgram  # noqa: E402

BEGIN, END = (f"<!-- made by tests/standards/verdicts.py: {what} -->\n" for what in ("begin", "end"))
DETECTORS = {"norn": "norn", "tsan": "ThreadSanitizer", "helgrind": "Helgrind"}


# --- what a detector says of a program -------------------------------------------------------------------------------

def reports_of(detector, program, level, directory):
    """(location, [line, line]) for each race told."""
    if detector == "norn":
        bin_dir = pathlib.Path(os.environ["NORN_BIN"])
        command = program.build(str(bin_dir / "norn-cc"), str(bin_dir / "norn-c++"), level, str(directory / "program"))
        return accuracy.norn_reports(program, command, accuracy.DEFAULT, directory)
    flag = "-fsanitize=thread" if detector == "tsan" else "-gdwarf-4"
    command = program.build("clang-19", "clang++-19", level, str(directory / "program"), [flag])
    if detector == "tsan":
        told = accuracy.tsan_reports(program, command, directory)
    else:
        told = accuracy.valgrind_reports(detector, program, command, directory)
    # A peer may not know the line of one of the two (0, or none at all): the other must do.
    return [(location, [line for line in lines if line]) for location, lines in told]


def verdict(program, reports):
    """Words of: race, not named, missed, false alarm; none if there is nothing to tell and nothing is told."""
    found = [accuracy.race_of(program, location, lines) for location, lines in reports]
    unnamed = [accuracy.race_of(program, None, lines) for _, lines in reports]
    words = []
    if program.racy:
        words.append("race" if any(found) else "race, not named" if any(unnamed) else "missed")
    if None in unnamed:
        words.append("false alarm")
    return ", ".join(words) or "none"


def judged(program, detectors, level):
    """The detectors' verdicts, by name."""
    told = {}
    for detector in detectors:
        with tempfile.TemporaryDirectory() as directory:
            try:
                told[detector] = verdict(program, reports_of(detector, program, level, pathlib.Path(directory)))
            except (accuracy.Failed, xml.etree.ElementTree.ParseError) as failure:
                told[detector] = f"failed: {failure}"
    return told


# --- the table -------------------------------------------------------------------------------------------------------

def header_of(detectors):
    return "| program | expected | " + " | ".join(DETECTORS[detector] for detector in detectors) + " |"


def expected(program):
    races = [f"{race.standing}: " + (name if race.is_label else f"`{name}`") for name, race in program.races.items()]
    return "; ".join(races) or "none"


def is_right(program, told):
    return told == ("race" if program.racy else "none")


def text_of(programs, verdicts, detectors, level):
    racy = sum(program.racy for program in programs)
    lines = [f"{len(programs)} programs, {racy} racy and {len(programs) - racy} race-free, built at `{level}`.", "",
             "| | " + " | ".join(["false alarms", "missed", "not named", "failed", "right"]) + " |",
             "| --- |" + " ---: |" * 5]
    for detector in detectors:
        told = [verdicts[program.name][detector] for program in programs]
        cells = [sum(word in words for words in told) for word in ("false alarm", "missed", "not named", "failed")]
        cells.append(sum(is_right(program, verdicts[program.name][detector]) for program in programs))
        lines.append(f"| {DETECTORS[detector]} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", "What is wrong is **bold**.", "",
              header_of(detectors),
              "| --- | --- |" + " --- |" * len(detectors)]
    for program in programs:
        told = [verdicts[program.name][detector] for detector in detectors]
        cells = [words if is_right(program, words) else f"**{words}**" for words in told]
        lines.append(f"| `{program.name}` | {expected(program)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def documented(detectors, level):
    """What the document's table, if it is of these, says of each program: the verdicts, by detector."""
    table = accuracy.between(BEGIN, END)
    if header_of(detectors) not in table.splitlines() or f"built at `{level}`" not in table:
        return {}
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): dict(zip(detectors, (cell.strip("*") for cell in row[2:]))) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="into docs/accuracy.md")
    parser.add_argument("--level", default="-O1", help="of optimisation: --level=-O2")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--detectors", default=",".join(DETECTORS), help="which, and in this order")
    arguments = parser.parse_args()
    detectors = arguments.detectors.split(",")
    unknown = [detector for detector in detectors if detector not in DETECTORS]
    if unknown:
        parser.error(f"there is no detector {unknown[0]!r}; there are {', '.join(DETECTORS)}")
    if "norn" in detectors:
        if "NORN_BIN" not in os.environ:
            parser.error("where are norn's tools? set NORN_BIN=build/bin")
        os.environ["NORN_BIN"] = os.path.abspath(os.environ["NORN_BIN"])
    for detector in detectors:
        if detector != "norn" and accuracy.is_missing(detector):
            parser.error(f"{DETECTORS[detector]} is not installed: leave it out of --detectors")
    sources = arguments.tests or sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])
    programs = [program for program in map(WaitingProgram, sources) if not program.lacks_header()]
    verdicts = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        judging = pool.map(lambda program: judged(program, detectors, arguments.level), programs)
        for program, told in zip(programs, judging):
            verdicts[program.name] = told
            print(f"\r{len(verdicts)} of {len(programs)}", end="\n" * (len(verdicts) == len(programs)), file=sys.stderr)
    print(text_of(programs, verdicts, detectors, arguments.level), end="")
    if arguments.write:
        kept = documented(detectors, arguments.level) if arguments.tests else {}
        every = [WaitingProgram(path) for path in sorted([*HERE.glob("*.c"), *HERE.glob("*.cpp")])]
        verdicts = {**kept, **verdicts}
        programs = [program for program in every if program.name in verdicts]
        accuracy.put_between(BEGIN, END, text_of(programs, verdicts, detectors, arguments.level))
    return 0


if __name__ == "__main__":
    sys.exit(main())
