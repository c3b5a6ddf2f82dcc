#!/usr/bin/env python3
"""Races that bench/planted/plant.py plants are there when they are chosen, and only then: planted.py --bin=BIN"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

PLANTED = pathlib.Path(__file__).resolve().parents[2] / "bench" / "planted"
sys.path.insert(0, str(PLANTED))
from plant import Planter  # noqa: E402

PROGRAM = """
#include <pthread.h>
#include <mutex>
#include <thread>
#include "order.h"
std::mutex guarded;
pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
int dropped;
int moved;
int by_call;
void work() {
  {
    const std::lock_guard guard(guarded);
    if (dropped >= 0) dropped++;
  }
  {
    const std::lock_guard<std::mutex> guard(guarded);
    moved += 2;
  }
  pthread_mutex_lock(&plain);
  if (by_call >= 0) by_call++;
  pthread_mutex_unlock(&plain);
}
int main() {
  // One after the other, without an order between them.
  std::thread first([] { work(); end_turn(); });
  std::thread second([] { await_turn(1); work(); });
  first.join();
  second.join();
}
"""
# What is raced on, by the race's kind and line.
EXPECTED = {("drop", 13): "dropped", ("drop", 17): "moved", ("move", 17): "moved", ("drop", 20): "by_call"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    binaries = os.path.abspath(parser.parse_args().bin)
    with tempfile.TemporaryDirectory(prefix="norn-planted-") as name:
        directory = pathlib.Path(name)
        source = directory / "program.cc"
        source.write_text(PROGRAM)
        planter = Planter()
        planter.file(source)
        sites = {(kind, int(place.rpartition(":")[2])): number for number, kind, place in planter.sites}
        assert set(sites) == set(EXPECTED), sites
        includes = PLANTED.parents[1] / "tests" / "behaviour"
        subprocess.run(["clang-19", "-O1", "-c", str(PLANTED / "planted.c"), "-o", "planted.o"], cwd=directory, check=True)
        subprocess.run([f"{binaries}/norn-c++", "-std=c++20", "-g", "-O1", "-pthread", f"-I{includes}", "program.cc",
                        "planted.o", "-o", "program"], cwd=directory, check=True)
        environment = os.environ | {"NORN_CASEBOOK": "none", "NORN_DIR": str(directory / "norn")}
        for site, variable in [(None, None), *EXPECTED.items()]:
            chosen = environment | ({} if site is None else {"NORN_PLANT": str(sites[site])})
            # What a lock orders by accident must not hide it.
            ran = subprocess.run([f"{binaries}/norn", "run", "--fail-on=any", "--", "./program"], cwd=directory,
                                 env=chosen, capture_output=True, text=True, timeout=60)
            assert ran.returncode == (0 if variable is None else 66), (site, ran)
            assert variable is None or f"race on {variable} " in ran.stderr, (site, ran)
    print(f"{len(EXPECTED)} planted races are there when they are chosen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
