#!/usr/bin/env python3
"""What a trace proves: predictive.py --bin=BIN

Programs whose threads come one after the other are recorded, so that no run observes their races. A race that only the
order of two sections hides is proved, with a witness that the checker accepts, and norn confirm meets it; one that a
value, a semaphore, a join or a lock excludes is not. A witness that was changed is refused. Of programs without races,
tests/behaviour's, nothing is proved.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "behaviour"))
from program import Program, clean_environment, programs_in  # noqa: E402

BEGIN = """#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "order.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
int x, y, hits;
int* volatile box;
"""
END = """
static void earlier(void) { first(); end_turn(); }
static void later(void) { await_turn(1); second(); }
int main(void) {
  sem_init(&sem, 0, 0);
  run_two(earlier, later);
  return 0;
}
"""
# The second thread comes later, by what no detector sees. A name, what each does, the races that are proved.
PROGRAMS = [
    ("sections", "x = 1; lock(); hits = 1; unlock();", "lock(); hits = 2; unlock(); x = 2;", ["x"]),
    ("before", "lock(); hits = 1; unlock(); x = 1;", "lock(); hits = 2; unlock(); x = 2;", ["x"]),
    ("value", "x = 1; lock(); y = 1; unlock();", "lock(); if (y) hits = 1; unlock(); x = 2;", []),
    ("locked", "lock(); x = 1; unlock();", "lock(); x = 2; unlock();", []),
    ("semaphore", "x = 1; sem_post(&sem);", "sem_wait(&sem); x = 2;", []),
    ("readers", "x = 1; read_lock(); y = hits; read_unlock();", "read_lock(); y = hits; read_unlock(); x = 2;",
     ["x", "y"]),
    ("pointer", "int* p = malloc(4); *p = 1; lock(); box = p; unlock();", "lock(); int* p = box; unlock(); *p = 2;",
     []),
    ("around", "lock(); x = 1; unlock(); lock(); y = 1; unlock();", "lock(); y = 2; unlock(); x = 2;", []),
]
WORDS = """
static void lock(void) { pthread_mutex_lock(&m); }
static void unlock(void) { pthread_mutex_unlock(&m); }
static void read_lock(void) { pthread_rwlock_rdlock(&rw); }
static void read_unlock(void) { pthread_rwlock_unlock(&rw); }
"""


class Checker:
    def __init__(self, binaries, directory):
        self.binaries = binaries
        self.directory = directory
        self.environment = clean_environment()
        self.environment.update(NORN_CASEBOOK="none", NORN_DIR=str(directory / "norn"), NO_COLOR="1")
        self.wrong = []

    def run(self, *command):
        return subprocess.run(command, cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=240)

    def norn(self, *words):
        return self.run(f"{self.binaries}/norn", *words)

    def expect(self, holds, *words):
        if not holds:
            self.wrong.append(" ".join(str(word) for word in words))

    def proved(self, name):
        """The races on named variables that the trace of that name proves, or None."""
        done = self.norn("analyze", "--engine=sync-preserving", f"--json={name}.json", f"--witness={name}.witness",
                         f"{name}.trace")
        if done.returncode not in (0, 66):
            self.expect(False, name, "is not analysed:", done.stderr[-300:])
            return None
        with open(self.directory / f"{name}.json", encoding="utf-8") as file:
            report = json.load(file)
        for race in report["races"]:
            self.expect(race["standing"] == "proved" and race["witness"], name, race["id"], race["standing"])
        self.expect((done.returncode == 66) == bool(report["races"]), name, "status", done.returncode)
        self.expect("mistake" not in done.stderr, name, done.stderr[-300:])
        if report["races"]:
            checked = self.norn("trace", "witness", f"{name}.witness")
            self.expect(checked.returncode == 0 and checked.stdout.count("holds\n") == len(report["races"]), name,
                        checked.stdout, checked.stderr)
        return report["races"]


def check_hand_written(checker):
    for name, first, second, wanted in PROGRAMS:
        source = (f"{BEGIN}{WORDS}static void first(void) {{ {first} }}\n"
                  f"static void second(void) {{ {second} }}\n{END}")
        (checker.directory / f"{name}.c").write_text(source)
        built = checker.run(f"{checker.binaries}/norn-cc", "-g", "-O1", f"-I{HERE.parent / 'behaviour'}",
                            "-Wno-unused-function", f"{name}.c", "-o", name)
        checker.expect(built.returncode == 0, built.stderr)
        checker.norn("record", f"--out={name}.trace", "--", f"./{name}")
        races = checker.proved(name)
        if races is None:
            continue
        found = sorted(race["location"]["name"] for race in races)
        checker.expect(found == wanted, name, "proved", found, "not", wanted)
    # Candidates for norn confirm, like others.
    proved = checker.norn("analyze", "--engine=sync-preserving", "sections.trace")
    checker.expect("proved" in proved.stderr and "1 proved" in proved.stderr, proved.stderr)
    checker.environment["NORN_TEST_UNORDERED"] = "1"
    confirmed = checker.norn("confirm", "--all", "--", "./sections")
    checker.expect("confirmed" in confirmed.stdout + confirmed.stderr and confirmed.returncode == 66,
                   confirmed.returncode, confirmed.stdout, confirmed.stderr)
    del checker.environment["NORN_TEST_UNORDERED"]


def check_changed_witnesses(checker):
    line = (checker.directory / "sections.witness").read_text().strip()
    words = line.split()
    for change, words in (
            ("the accesses are the same", words[:3] + [words[2]] + words[4:]),
            ("a thread goes too far", words[:5] + [f"{entry.split(':')[0]}:999999" for entry in words[5:]]),
            ("threads do nothing", words[:5])):
        (checker.directory / "changed").write_text(" ".join(words) + "\n")
        done = checker.norn("trace", "witness", "changed")
        checker.expect(done.returncode == 1 and "does not hold" in done.stdout, change, done.stdout, done.stderr)
    for text in ("hello\n", "R1 sections.trace 1 2 x\n"):
        (checker.directory / "changed").write_text(text)
        done = checker.norn("trace", "witness", "changed")
        checker.expect(done.returncode == 2 and len(done.stderr.splitlines()) == 1, "no witness:", done.stderr)
    done = checker.norn("trace", "witness", "nowhere")
    checker.expect(done.returncode == 2 and len(done.stderr.splitlines()) == 1, "no file:", done.stderr)
    done = checker.norn("analyze", "--witness=w", "sections.trace")
    checker.expect(done.returncode == 2 and len(done.stderr.splitlines()) == 1, "no engine:", done.stderr)


def check_race_free(checker, part):
    """Programs of tests/behaviour that have no race at all: nothing is proved, whatever their order."""
    number = 0
    for source in programs_in(HERE.parent / "behaviour"):
        if not source.stem.endswith("-ok") or zlib.crc32(source.name.encode()) % part != 0:
            continue
        program = Program(source)
        program.include_directories.append(program.source.parent)
        if program.lacks_header() or any(option.startswith("--") for option in program.options):
            continue
        try:
            command = program.build(f"{checker.binaries}/norn-cc", f"{checker.binaries}/norn-c++", "-O1",
                                    str(checker.directory / source.stem))
        except (AssertionError, RuntimeError):
            continue  # it has its own RUN lines
        recorded = checker.norn("record", f"--out={source.stem}.trace", "--", *command)
        if recorded.returncode != 0 or "nothing was recorded" in recorded.stderr:
            continue
        number += 1
        races = checker.proved(source.stem)
        checker.expect(races == [], source, "proves", races and [race["location"]["name"] for race in races])
    checker.expect(number > 0, "no program was recorded")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--part", type=int, default=1, help="each Nth of the programs without races")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="norn-predictive-") as name:
        checker = Checker(os.path.abspath(arguments.bin), pathlib.Path(name))
        check_hand_written(checker)
        check_changed_witnesses(checker)
        number = check_race_free(checker, arguments.part)
    print("\n".join(checker.wrong))
    print(f"{len(PROGRAMS)} programs by hand, {number} without races, {len(checker.wrong)} differences")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
