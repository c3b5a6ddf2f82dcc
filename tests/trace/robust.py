#!/usr/bin/env python3
"""Traces of programs that do not end as others do, and traces that are not whole: robust.py --bin=BIN

A program that kills itself loses nothing; forked children and what they become are found again; a trace that is cut is
analysed up to there, and the report is not complete; so is what is put together of shares of which one is missing; one that is damaged gives an exit status and words, and no crash.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

BEHAVIOUR = pathlib.Path(__file__).resolve().parent.parent / "behaviour"

KILLED = """
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "order.h"
int x, y;
static void* f(void* last) {
  if (last) await_turn(1);
  for (int i = 0; i < 20000; i++) { x++; y += i; }
  if (last) kill(getpid(), SIGKILL);
  end_turn();
  for (;;) pause();
}
int main(void) {
  pthread_t t[2];
  pthread_create(t, 0, f, 0);
  pthread_create(t + 1, 0, f, (void*)1);
  pthread_join(t[0], 0);
}
"""
FORKS = """
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int x, y;
int* heap;
static void* f(void* unused) { x++; heap[1]++; return unused; }
static void* g(void* unused) { y++; heap[2]++; return unused; }
static void two(void* (*routine)(void*)) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(t + i, 0, routine, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
int main(int count, char** arguments) {
  heap = calloc(100, 4);
  two(f);
  if (count > 1) return 0;
  if (fork() == 0) {
    two(g);
    if (fork() == 0) execl("/proc/self/exe", arguments[0], "again", (char*)0);
    wait(0);
    _exit(0);
  }
  wait(0);
  return 0;
}
"""


class Checker:
    def __init__(self, binaries, directory):
        self.binaries = binaries
        self.directory = directory
        self.environment = {key: value for key, value in os.environ.items() if not key.endswith("_OPTIONS")}
        self.environment.update(NORN_CASEBOOK="none", NORN_DIR=str(directory / "norn"), NO_COLOR="1")

    def norn(self, *words, **environment):
        return subprocess.run([f"{self.binaries}/norn", *words], cwd=self.directory,
                              env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)

    def record(self, name, source, *flags):
        (self.directory / f"{name}.c").write_text(source)
        subprocess.run([f"{self.binaries}/norn-cc", "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", "-pthread",
                        *flags, f"-I{BEHAVIOUR}", f"{name}.c", "-o", name],
                       cwd=self.directory, check=True)
        self.norn("record", f"--out={name}.trace", f"--json={name}.json", "--", f"./{name}")
        return self.directory / f"{name}.trace"

    def races(self, report):
        contents = json.loads((self.directory / report).read_text())
        return {race["id"]: race["count"] for race in contents["races"]}, contents


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    with tempfile.TemporaryDirectory(prefix="norn-trace-") as name:
        checker = Checker(os.path.abspath(parser.parse_args().bin), pathlib.Path(name))
        # Without turns, too: in the sampling profile.
        for profile in ("sampling", "full"):
            killed = checker.record("killed", KILLED, f"-fnorn-profile={profile}")
            result = checker.norn("trace", "check", str(killed))
            assert result.returncode == 0 and "was killed" in result.stdout, result
            result = checker.norn("analyze", "--json=off.json", str(killed))
            assert result.returncode == 66, result
            races, report = checker.races("off.json")
            assert set(races) == set(checker.races("killed.json")[0]) and not report["complete"], report
            assert report["front_end"] == "trace", report

            forks = checker.record("forks", FORKS, f"-fnorn-profile={profile}")
            assert len(list(forks.glob("*.trace"))) == 4, list(forks.iterdir())
            checker.norn("analyze", "--json=off.json", str(forks))
            online, offline = checker.races("forks.json"), checker.races("off.json")
            assert online[0] == offline[0] and len(online[0]) == 4 and offline[1]["complete"], (online, offline)

        # Shares of an analysis: as ranks make them. Together they are the whole; of some of them that is said.
        def share(number, *words):
            return checker.norn("analyze", str(forks), "--share=env", *words, SLURM_PROCID=str(number), SLURM_NTASKS="3")

        assert "has no shares" in checker.norn("analyze", str(forks), "--collect").stderr
        for number in range(3):
            assert share(number).returncode == 0
        result = checker.norn("analyze", str(forks), "--collect", "--json=shares.json")
        shares = checker.races("shares.json")
        assert result.returncode == 66 and shares[0] == offline[0] and shares[1]["complete"], result
        order = [[race["id"] for race in each[1]["races"]] for each in (offline, shares)]
        assert order[0] == order[1], order
        for file in forks.glob("*.share-2-of-3"):
            file.unlink()
        result = checker.norn("analyze", str(forks), "--collect", "--json=shares.json")
        races, report = checker.races("shares.json")
        assert result.returncode in (2, 66) and "of 3 shares of the analysis 2 was not made" in result.stderr, result
        assert set(races) <= set(offline[0]) and not report["complete"], report
        assert share(1, "--engine=hb").returncode == 0
        result = checker.norn("analyze", str(forks), "--collect")
        assert result.returncode == 2 and "a share of another analysis" in result.stderr, result
        result = checker.norn("analyze", str(forks), "--share=1/2", "--engine=sync-preserving")
        assert result.returncode == 2 and "has no shares" in result.stderr, result
        for file in forks.glob("*.share-*"):
            file.unlink()

        # Without a name: the last run that recorded, however often it was judged since.
        assert checker.norn("record", "--", "./forks").returncode == 66
        for engine in ("hb", "hybrid", "sync-preserving"):
            result = checker.norn("analyze", f"--engine={engine}")
            assert result.returncode == 66, (engine, result)

        whole = next(killed.glob("*.trace")).read_bytes()
        cut = checker.directory / "cut.trace"
        cut.write_bytes(whole[:len(whole) * 2 // 3])
        result = checker.norn("analyze", "--json=off.json", str(cut))
        assert result.returncode in (0, 66) and "the trace is cut" in result.stderr, result
        assert not checker.races("off.json")[1]["complete"]
        assert checker.norn("trace", "check", str(cut)).returncode == 1

        generator = random.Random(1)
        for attempt in range(60):
            damaged = bytearray(whole)
            for _ in range(generator.choice((1, 4, 40))):
                damaged[generator.randrange(len(damaged) if attempt % 2 else 200)] = generator.randrange(256)
            cut.write_bytes(damaged)
            for words in (("analyze", str(cut)), ("trace", "check", str(cut))):
                result = checker.norn(*words)
                assert result.returncode in (0, 1, 2, 66), (attempt, result)
                assert "could not be analysed" not in result.stderr, (attempt, result)
                if result.returncode == 2:
                    assert len(result.stderr.strip().splitlines()) == 1, (attempt, result)
    print("traces of programs that were killed, forked, cut and damaged are as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
