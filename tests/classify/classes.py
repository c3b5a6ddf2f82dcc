#!/usr/bin/env python3
"""Is norn classify right about the programs beside it? By the ground truth in their sources.

    classes.py --bin=build/bin [--part=N] [--times=N] [--replays=N] [--jobs=N] [--keep=FILE] [--write] [--verbose]
               [PROGRAM…]

Each program is built once. Its races are handed to norn classify by their lines (--from), so that it is judged about all
of them, whichever a detector reports; that norn run reports them, too, is counted. With --part=N every N-th program.
--times=N classifies N times, and every answer must be the same. --replays=N replays each token of a violation so often,
and the run must end as was said, each time. A program with a predicate is classified once more with it. --keep=FILE: what
was answered of each program is kept there, so that a run that was broken off goes on. --write puts the tables into
docs/classification.md.

The exit status is 1 if a race that is decidable on the given arguments is put into another class than the true one, or
an answer changes, or a violation does not replay. A race that is not classified is counted and named, and is no failure
of this script unless --part is given: those programs are all decidable.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from ground_truth import CLASSES, PROGRAMS, all_programs

DOCUMENT = PROGRAMS.parent.parent.parent / "docs" / "classification.md"
BEGIN, END = (f"<!-- made by tests/classify/classes.py: {side} -->\n" for side in ("begin", "end"))
NONE = "not classified"
DIES = {"crash", "abort", "assertion", "exception"}


@dataclasses.dataclass
class Answer:
    race: object  # of ground_truth
    told: list  # a class, one for each time
    consequence: str = ""
    reason: str = ""
    k: int = 0
    seconds: float = 0
    instances: int = 0  # how often norn run saw it
    replayed: list = dataclasses.field(default_factory=list)  # what is wrong with replays

    @property
    def kind(self):
        return self.told[0]

    @property
    def group(self):
        return self.race.group


class Broken(Exception):
    """Not a wrong answer, but none."""


def call(command, directory, **others):
    environment = dict(os.environ, NORN_DIR=str(directory / ".norn"))
    environment.pop("NORN_OPTIONS", None)
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, errors="replace",
                          timeout=600, **others)


def tsan_text(program):
    """The races as ThreadSanitizer would tell them."""
    text = ""
    for race in program.races.values():
        first, second = (sorted(race.lines) * 2)[:2]
        text += "WARNING: ThreadSanitizer: data race (pid=1)\n"
        text += f"  Write of size 4 at 0x1 by thread T1:\n    #0 f {program.source.name}:{first}:1 (p+0x1)\n\n"
        text += f"  Previous write of size 4 at 0x1 by thread T2:\n    #0 f {program.source.name}:{second}:1 (p+0x1)\n\n"
    return text


def lines_in(places):
    return frozenset(int(line) for line in re.findall(r":(\d+) ", places + " "))


class Judged:
    def __init__(self, program, arguments):
        self.program = program
        self.answers = []
        with tempfile.TemporaryDirectory() as directory:
            self.directory = pathlib.Path(directory)
            self.bin = pathlib.Path(arguments.bin).absolute()
            self.build()
            (self.directory / "truth.tsan").write_text(tsan_text(program))
            times = [self.classify() for _ in range(arguments.times)]
            reported = self.reported() if arguments.report else {}
            for lines, race in program.races.items():
                self.answers.append(self.answer(race, [entry[lines] for entry in times], arguments))
                self.answers[-1].instances = reported.get(lines, 0)
            self.with_predicate = []
            if program.predicate:
                entries = self.classify(f"--predicate={program.predicate}")
                self.with_predicate = [self.answer(race, [entries[lines]], arguments)
                                       for lines, race in program.with_predicate.items()]

    def answer(self, race, entries, arguments):
        first = entries[0]
        answer = Answer(race, [entry["class"] or NONE for entry in entries], first["consequence"] or "",
                        first["reason"] or first["detail"] or "", first["k"],
                        sum(entry["seconds"] for entry in entries) / len(entries))
        if answer.kind == "spec-violated":
            self.replay(first, answer, arguments.replays)
        return answer

    def build(self):
        source = self.program.source
        compiler = ["norn-cc", "-std=gnu11"] if source.suffix == ".c" else ["norn-c++", "-std=c++20"]
        command = [str(self.bin / compiler[0]), compiler[1], "-g", "-O0", "-pthread", f"-I{PROGRAMS}", str(source), "-o",
                   "program"]
        done = call(command, self.directory)
        if done.returncode != 0:
            raise Broken(f"{self.program.name} cannot be built: {done.stderr}")

    @property
    def command(self):
        return ["./program", *self.program.args]

    def classify(self, *options):
        done = call([str(self.bin / "norn"), "classify", "--all", "--from=truth.tsan", "--json=classes.json",
                     "--fail-on=none", *options, "--", *self.command], self.directory)
        if done.returncode != 0:
            raise Broken(f"{self.program.name}: norn classify ended with {done.returncode}: {done.stderr}")
        entries = json.loads((self.directory / "classes.json").read_text())["classify"]
        found = {lines_in(entry["places"]): entry for entry in entries}
        if found.keys() != self.program.races.keys():
            raise Broken(f"{self.program.name}: races on lines {[sorted(lines) for lines in found]} were classified")
        return found

    def reported(self):
        """The pairs of lines that norn run reports, and how often it saw each."""
        call([str(self.bin / "norn"), "run", "--flags=race", "--fail-on=none", "--json=run.json", "--", *self.command],
             self.directory)
        try:
            report = json.loads((self.directory / "run.json").read_text())
        except OSError:
            return {}
        counts = collections.Counter()
        for race in report["races"]:
            counts[frozenset(access["site"]["line"] for access in race["accesses"])] += race["count"]
        return counts

    def replay(self, entry, answer, times):
        for _ in range(times):
            done = call([str(self.bin / "norn"), "replay", entry["evidence"], "--", *self.command], self.directory)
            died = done.returncode < 0 or done.returncode > 128
            if "replayed identically" not in done.stderr and not (died and entry["consequence"] in DIES):
                answer.replayed.append(f"the replay differs: {done.stderr[-200:]}")
            elif done.returncode == 0:
                answer.replayed.append("the replay ended well")


# --- the tables ------------------------------------------------------------------------------------------------------

def is_right(answer):
    return answer.kind == answer.race.kind


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "–"


def share(answers):
    return f"{sum(map(is_right, answers))} of {len(answers)} ({percent(sum(map(is_right, answers)), len(answers))})"


def by_group(answers):
    groups = collections.defaultdict(list)
    for answer in answers:
        groups[answer.group].append(answer)
    return groups


def table5(answers):
    """What goes wrong, of those that violate the specification."""
    kinds = ("deadlock", "hang", "crash", "memory-error", "assertion", "abort", "exception", "predicate")
    lines = ["| program | races | " + " | ".join(kinds) + " |", "| --- |" + " ---: |" * (len(kinds) + 1)]
    for group, chosen in by_group(answers).items():
        counts = collections.Counter(answer.consequence for answer in chosen if answer.kind == "spec-violated")
        if counts:
            lines.append(f"| {group} | {len(chosen)} | " + " | ".join(str(counts[kind] or "") for kind in kinds) + " |")
    return lines


def table6(answers):
    lines = ["| program | distinct races | reported | instances | spec-violated | output-differs | k-witness-harmless | "
             "single-ordering | not classified |", "| --- |" + " ---: |" * 8]

    def cells(chosen):
        counts = collections.Counter(answer.kind for answer in chosen)
        return [len(chosen), sum(answer.instances != 0 for answer in chosen), sum(answer.instances for answer in chosen),
                counts["spec-violated"], counts["output-differs"], counts["k-witness-harmless"],
                counts["single-ordering"], counts[NONE]]

    for group, chosen in by_group(answers).items():
        lines.append(f"| {group} | " + " | ".join(map(str, cells(chosen))) + " |")
    lines.append("| all | " + " | ".join(map(str, cells(answers))) + " |")
    return lines


def table7(answers):
    lines = ["| program | races | mean | longest |", "| --- |" + " ---: |" * 3]
    for group, chosen in (*by_group(answers).items(), ("all", answers)):
        seconds = [answer.seconds for answer in chosen]
        lines.append(f"| {group} | {len(seconds)} | {sum(seconds) / len(seconds):.1f} s | {max(seconds):.1f} s |")
    return lines


def table8(answers):
    lines = ["| | " + " | ".join(CLASSES) + " | all |", "| --- |" + " ---: |" * (len(CLASSES) + 1)]

    def row(name, chosen):
        cells = [share([answer for answer in chosen if answer.race.kind == kind]) for kind in CLASSES]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {share(chosen)} |")

    row("norn classify", answers)
    row("norn classify, decidable on the given arguments", [answer for answer in answers if answer.race.is_decidable])
    return lines


def wrong_ones(answers):
    return [answer for answer in answers if not is_right(answer)]


def sentence(answer):
    why = f" ({answer.reason})" if answer.reason else ""
    hidden = "" if answer.race.is_decidable else "; only other arguments show it"
    return f"`{answer.race.program}`, {' / '.join(answer.race.labels)}: {answer.kind}{why}, true is {answer.race.kind}{hidden}"


def text_of(judged, arguments):
    answers = [answer for one in judged for answer in one.answers]
    with_predicate = [answer for one in judged for answer in one.with_predicate]
    violations = [answer for answer in answers + with_predicate if answer.kind == "spec-violated"]
    same = sum(len(set(answer.told)) == 1 for answer in answers)
    replayed = sum(not answer.replayed for answer in violations)
    lines = [f"{len(answers)} races of {len(judged)} programs, built at `-O0`, so that the code does what the source "
             "says. In the form of table 8, right of how many:", ""]
    lines += table8(answers)
    lines += ["", "What is not right:", ""]
    lines += [f"- {sentence(answer)}" for answer in wrong_ones(answers)] or ["- nothing"]
    lines += ["", f"Classified {arguments.times} times each: {same} of {len(answers)} got the same answer every time. "
              f"Replayed {arguments.replays} times each: of {len(violations)} violations {replayed} showed every time.", ""]
    lines += ["With a predicate:", ""]
    lines += [f"- {sentence(answer)}" if not is_right(answer) else
              f"- `{answer.race.program}`, {' / '.join(answer.race.labels)}: {answer.kind} ({answer.reason})"
              for answer in with_predicate]
    lines += ["", "In the form of table 5, what goes wrong:", ""]
    lines += table5(answers)
    lines += ["", "In the form of table 6, what norn classify says; *reported*: so many of the races one `norn run "
              "--flags=race` reports, *instances*: how often it saw them.", ""]
    lines += table6(answers)
    lines += ["", "In the form of table 7, how long one classification took, on a machine of two processors that had "
              "other work to do:", ""]
    lines += table7(answers)
    return "\n".join(lines) + "\n"


def put_into_document(text):
    document = DOCUMENT.read_text()
    first, last = document.index(BEGIN) + len(BEGIN), document.index(END)
    DOCUMENT.write_text(document[:first] + text + document[last:])


def faults_of(judged, all_decidable):
    for answer in (answer for one in judged for answer in one.answers + one.with_predicate):
        name = f"{answer.race.program} {' / '.join(answer.race.labels)}"
        if len(set(answer.told)) != 1:
            yield f"{name}: another answer each time: {answer.told}"
        if answer.race.is_decidable and not is_right(answer) and (answer.kind != NONE or all_decidable):
            yield sentence(answer)
        if answer.kind == "spec-violated" and answer.race.consequences and \
                answer.race.kind == answer.kind and answer.consequence not in answer.race.consequences:
            yield f"{name}: {answer.consequence}, true is {'|'.join(sorted(answer.race.consequences))}"
        yield from (f"{name}: {words}" for words in answer.replayed)


# --- keeping ---------------------------------------------------------------------------------------------------------

class Kept:
    """What was answered of a program, as a file has it."""

    def __init__(self, program, entry):
        self.program = program
        self.answers = [self.read(race, entry["answers"]) for race in program.races.values()]
        self.with_predicate = [self.read(race, entry["with_predicate"]) for race in program.with_predicate.values()]

    @staticmethod
    def read(race, entries):
        return Answer(race, **entries["/".join(race.labels)])

    @staticmethod
    def entry_of(judged):
        def written(answers):
            return {"/".join(answer.race.labels): {field.name: getattr(answer, field.name)
                                                   for field in dataclasses.fields(answer) if field.name != "race"}
                    for answer in answers}
        return {"program": judged.program.name, "answers": written(judged.answers),
                "with_predicate": written(judged.with_predicate)}


def kept_in(path):
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return {}
    return {entry["program"]: entry for entry in map(json.loads, lines)}


def judge(program, arguments, kept):
    if program.name in kept:
        return Kept(program, kept[program.name])
    judged = Judged(program, arguments)
    if arguments.keep:
        with open(arguments.keep, "a") as file:
            file.write(json.dumps(Kept.entry_of(judged)) + "\n")
    return judged


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", nargs="*", help="sources, or names of programs")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--replays", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true", help="count what norn run reports (--write does)")
    parser.add_argument("--keep", default="")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    arguments.report |= arguments.write
    programs = all_programs()
    if arguments.programs:
        names = {pathlib.Path(name).stem for name in arguments.programs}
        programs = [program for program in programs if program.name in names]
    if arguments.part:
        programs = [program for program in programs if not program.other_args][::arguments.part]
    judged = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        kept = kept_in(arguments.keep) if arguments.keep else {}
        for one in pool.map(lambda program: judge(program, arguments, kept), programs):
            judged.append(one)
            for answer in one.answers + one.with_predicate if arguments.verbose else ():
                print(f"{'ok   ' if is_right(answer) else 'WRONG'} {answer.race.program} {'/'.join(answer.race.labels)}: "
                      f"{answer.kind} {answer.consequence} k={answer.k} {answer.seconds:.1f} s {answer.reason}", flush=True)
    text = text_of(judged, arguments)
    if arguments.write:
        put_into_document(text)
    if arguments.verbose or arguments.write:
        print(text, end="")
    faults = list(faults_of(judged, arguments.part != 0))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
