"""What the programs in programs/ say of their races, in comments of their sources.

    // RACE A B: CLASS [CONSEQUENCE] [states=same|differ] [other-input]: WHY
        the statements on the lines that end in `// @A` and `// @B` race. CLASS is the truth over all inputs and schedules
        (Portend's four classes: docs/classification.md), CONSEQUENCE what goes wrong (`a|b`: either), `states` whether
        memory differs right after the race, `other-input`: only other arguments than ARGS bring it out.
    // WITH-PREDICATE A B: …          the same, when the predicate is given
    // PREDICATE: EXPRESSION
    // ARGS: ARG…                     the arguments to classify it with
    // OTHER-ARGS: ARG…               those that bring out what is marked with other-input

A race's truth stands above one of its lines. Both lines may be the same one: then the label is said twice.
"""

import dataclasses
import pathlib
import re
import shlex

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
CLASSES = ("spec-violated", "output-differs", "k-witness-harmless", "single-ordering")
TRUTH = re.compile(r"// (RACE|WITH-PREDICATE) (\S+) (\S+): ([a-z-]+)([^:]*): (.+)$")


@dataclasses.dataclass(frozen=True)
class Race:
    program: str
    group: str  # the row of tables: a document's program, or the folder
    labels: tuple
    lines: frozenset
    kind: str
    consequences: frozenset
    states: str
    is_decidable: bool
    why: str


@dataclasses.dataclass
class Program:
    source: pathlib.Path
    races: dict  # by lines
    with_predicate: dict
    predicate: str
    args: list
    other_args: list

    @property
    def name(self):
        return self.source.stem


def group_of(source):
    return source.stem.split("-")[0] if source.parent.name == "documents" else source.parent.name


def read_program(source):
    source = pathlib.Path(source)
    text = source.read_text()
    labels, said = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        found = TRUTH.search(line)
        if found:
            said.append((number, found.groups()))
            continue
        assert "// RACE" not in line and "// WITH-PREDICATE" not in line, f"{source}:{number}: not understood"
        for label in re.findall(r"@([a-z0-9]+)\b", line):
            assert label not in labels, f"{source}:{number}: @{label} is there twice"
            labels[label] = number
    program = Program(source, {}, {}, "", [], [])
    for number, (word, first, second, kind, rest, why) in said:
        assert kind in CLASSES, f"{source}:{number}: {kind}"
        lines = frozenset((labels[first], labels[second]))
        states, consequences, is_decidable = "", frozenset(), True
        for part in rest.split():
            if part.startswith("states="):
                states = part.removeprefix("states=")
            elif part == "other-input":
                is_decidable = False
            else:
                consequences = frozenset(part.split("|"))
        races = program.races if word == "RACE" else program.with_predicate
        assert lines not in races, f"{source}:{number}: said twice"
        races[lines] = Race(source.stem, group_of(source), (first, second), lines, kind, consequences, states, is_decidable, why)

    def words(key):
        return [word for value in re.findall(rf"^// {key}: (.*)$", text, re.M) for word in shlex.split(value)]

    program.predicate = next(iter(re.findall(r"^// PREDICATE: (.*)$", text, re.M)), "")
    program.args, program.other_args = words("ARGS"), words("OTHER-ARGS")
    assert program.races, f"{source}: no race"
    assert bool(program.other_args) == any(not race.is_decidable for race in program.races.values()), source
    return program


def all_programs():
    sources = [path for path in sorted(PROGRAMS.rglob("*")) if path.suffix in (".c", ".cpp")]
    return [read_program(source) for source in sources]
