#!/usr/bin/env python3
"""Recording programs as they are, under the Valgrind front end: unmodified.py --bin=BIN

A Debian program with threads (pigz, or xz) is recorded: its output is what it is without norn, its trace is whole, and
norn analyze finds what the run found, with every engine. So it is for programs of tests/behaviour built by the system's
compiler: a race, locks, heap and fork. The races have the same identities, standings and counts.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "behaviour"))
from program import clean_environment  # noqa: E402

ENGINES = ("hybrid", "hb", "msm-short", "msm-long")
RACES = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "order.h"
int x, y, hits;
int* heap;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void first(void) {
  x = 1; heap[3]++; y = 1;
  pthread_mutex_lock(&m); hits = 1; pthread_mutex_unlock(&m);
  end_turn();
}
static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&m); hits = 2; pthread_mutex_unlock(&m);
  y = 2; heap[3]++; x++;
}
int main(void) {
  heap = calloc(10, sizeof(int));
  run_two(first, second);
  if (fork() == 0) { x++; _exit(0); }
  wait(0);
  free(heap);
  return 0;
}
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
                              capture_output=True, timeout=300)

    def norn(self, *words):
        return self.run(f"{self.binaries}/norn", *words)

    def expect(self, holds, *words):
        if not holds:
            self.wrong.append(" ".join(str(word) for word in words))

    def found(self, report):
        with open(self.directory / report, encoding="utf-8") as file:
            contents = json.load(file)
        return {race["id"]: (race["detection"]["standing"], race["count"]) for race in contents["races"]}

    def record(self, name, engine, *command):
        """Records, checks and analyses. Gives the races and what it printed."""
        trace = self.directory / f"{name}.trace"
        shutil.rmtree(trace, ignore_errors=True)
        recorded = self.norn("record", "--binary", f"--engine={engine}", "--json=online.json", f"--out={trace}", "--",
                             *command)
        what = f"{name} {engine}:"
        self.expect(recorded.returncode in (0, 66), what, recorded.stderr.decode(errors="replace")[-400:])
        checked = self.norn("trace", "check", str(trace))
        self.expect(checked.returncode == 0, what, checked.stdout.decode(), checked.stderr.decode())
        analysed = self.norn("analyze", "--json=offline.json", str(trace))
        self.expect(analysed.returncode in (0, 66), what, analysed.stderr.decode(errors="replace")[-400:])
        if self.wrong:
            return {}, b""
        online, offline = self.found("online.json"), self.found("offline.json")
        self.expect(online == offline, what, "online", online, "offline", offline)
        return online, recorded.stdout


def check_races(checker):
    (checker.directory / "races.c").write_text(RACES)
    built = checker.run("gcc", "-g", "-gdwarf-4", "-O1", "-pthread", f"-I{HERE.parent / 'behaviour'}", "races.c", "-o",
                        "races")
    checker.expect(built.returncode == 0, built.stderr.decode())
    for engine in ENGINES:
        races, _ = checker.record("races", engine, "./races")
        checker.expect(races or engine != "hybrid", engine, "found nothing")
    proved = checker.norn("analyze", "--engine=sync-preserving", "--json=proved.json", "races.trace")
    checker.expect(proved.returncode == 66 and checker.found("proved.json"), "nothing is proved:",
                   proved.stderr.decode(errors="replace")[-400:])


def check_status(checker):
    checker.norn("record", "--binary", "--out=ends.trace", "--", "/bin/sh", "-c", "exit 3")
    told = checker.norn("trace", "stat", "ends.trace").stdout.decode()
    checker.expect("the program ended with status 3" in told, told)


def check_debian(checker):
    """A program that nobody here wrote. False: there is none."""
    text = ("the quick brown fox jumps over the lazy dog, %d\n" * 6000) % tuple(range(6000))
    (checker.directory / "input").write_text(text)
    for command in (("pigz", "-b", "128", "-p", "2", "-c", "input"),
                    ("xz", "-T2", "-0", "--block-size=65536", "-c", "input")):
        if shutil.which(command[0]) is None:
            continue
        plain = checker.run(*command)
        for engine in ("hybrid", "hb"):
            _, output = checker.record(command[0], engine, *command)
            checker.expect(output == plain.stdout or checker.wrong, command[0], "prints something else when recorded")
        return command[0]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="norn-unmodified-") as name:
        checker = Checker(os.path.abspath(arguments.bin), pathlib.Path(name))
        check_races(checker)
        check_status(checker)
        program = check_debian(checker)
    print("\n".join(checker.wrong))
    print(f"a program by hand, {program or 'no program of Debian (neither pigz nor xz is there)'}, "
          f"{len(checker.wrong)} differences")
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
