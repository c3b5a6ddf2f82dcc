#!/usr/bin/env python3
"""Plants data races in C and C++ sources: plant.py SOURCE... (they are changed in place)

At each place where a lock is taken, one race: the lock is left out there ("drop"), or, where the next statement is one
plain assignment, that is done before the lock is taken ("move"). Each has a number, printed with its place; it is there
when the program runs with the number in NORN_PLANT, so that one build has all races and a run those that a seed chose.
The program is linked with planted.c, which is compiled without norn.
"""
import argparse
import pathlib
import re
import sys

GUARD = re.compile(r"^(\s*)(const\s+)?std::(lock_guard|scoped_lock|unique_lock|shared_lock)(?:<[^;()]*>)?\s+(\w+)"
                   r"\((?!.*(?:defer_lock|try_to_lock|adopt_lock))([^;,]+)\);\s*$")
POINTER_GUARD = re.compile(r"^(\s*)MutexLock\s+(\w+)\(([^;,]+)\);\s*$")
PAIRS = {"pthread_mutex_lock": "pthread_mutex_unlock", "sqlite3_mutex_enter": "sqlite3_mutex_leave"}
LOCK = re.compile(r"^(\s*)(" + "|".join(PAIRS) + r")\((.+)\);\s*$")
UNLOCK = re.compile(r"^(\s*)(" + "|".join(PAIRS.values()) + r")\((.+)\);\s*$")
WAIT = re.compile(r"pthread_cond_wait\(([^,;]+),\s*([^;]+?)\)(?=[;)\s])")
# Of something that is there already, in one line: no declaration, no call that may jump.
ASSIGNMENT = re.compile(r"^\s*(?:\+\+|--)?[\w.\[\]>*-]+(?:\s*[-+|&^]?=(?!=)\s*[^;{}]+|\+\+|--)?;\s*$")
NO_STATEMENT = re.compile(r"^\s*(?:return|goto|break|continue|case|default|else|do|if|for|while)\b")


class Planter:
    def __init__(self, first=0):
        self.sites = []  # (number, kind, place)
        self.next = first

    def number(self, kind, place):
        self.sites.append((self.next, kind, place))
        self.next += 1
        return self.next - 1

    def guard(self, line, place):
        """The line with its lock left out where the race is; nothing if it takes none that may be left out."""
        if match := GUARD.match(line):
            indent, const, kind, name, mutex = match.groups()
            if kind == "unique_lock" and not const:
                return None  # somebody may wait with it
            shared = "Shared" if kind == "shared_lock" else ""
            return f"{indent}const planted::{shared}Guard {name}({mutex}, {self.number('drop', place)});\n"
        if match := POINTER_GUARD.match(line):
            indent, name, mutex = match.groups()
            kind = f"planted::PointerGuard<std::remove_pointer<decltype({mutex})>::type>"  # before C++17, too
            return f"{indent}{kind} {name}({mutex}, {self.number('drop', place)});\n"
        if match := LOCK.match(line):
            indent, call, mutex = match.groups()
            site = self.number("drop", place)
            return f"{indent}(void)(norn_plant_skips({site}, {mutex}) || ({call}({mutex}), 0));\n"
        return None

    def text(self, text, name):
        lines = text.splitlines(keepends=True)
        changed = []
        i = 0
        while i < len(lines):
            line, place = lines[i], f"{name}:{i + 1}"
            i += 1
            if match := UNLOCK.match(line):
                indent, call, mutex = match.groups()
                changed.append(f"{indent}(void)(norn_plant_skipped({mutex}) || ({call}({mutex}), 0));\n")
                continue
            if "pthread_cond_wait" in line:
                line = WAIT.sub(r"pthread_cond_wait(\1, (norn_plant_skipped(\2) ? pthread_mutex_lock(\2) : 0, \2))", line)
            takes = GUARD.match(line) or POINTER_GUARD.match(line) or LOCK.match(line)
            following = lines[i] if i < len(lines) else ""
            before = "".join(changed[-1:]).rstrip()
            is_alone = not before.endswith((")", "else"))  # nothing decides about this one statement
            moves = takes and is_alone and ASSIGNMENT.match(following) and not NO_STATEMENT.match(following)
            guard = self.guard(line, place) or line
            if moves:
                site = self.number("move", place)
                statement = following.strip()
                changed += [f"if (norn_planted({site})) {{ {statement} }}\n", guard,
                            f"if (!norn_planted({site})) {{ {statement} }}\n"]
                i += 1
            else:
                changed.append(guard)
        return "".join(changed)

    def file(self, path):
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
        after = self.text(before, path.name)
        if after != before:
            header = pathlib.Path(__file__).resolve().parent / "planted.h"
            path.write_text(f'#include "{header}"\n#line 1\n' + after, encoding="utf-8", errors="surrogateescape")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the first race's number")
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    planter = Planter(arguments.first)
    for source in arguments.sources:
        planter.file(source)
    for number, kind, place in planter.sites:
        print(number, kind, place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
