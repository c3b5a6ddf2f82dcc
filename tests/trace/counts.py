#!/usr/bin/env python3
"""Has a full trace every access? counts.py --bin=BIN

Programs are built twice, alike but for norn: in the trace profile, and plainly. The first is recorded by its own
runtime, the second under the Valgrind front end, which sees the machine's instructions. Both must count the same reads
and the same writes: at -O0 statement by statement, above that in all, because the compiler gives an instruction that it
moved or inlined another line, or none. What is not compared, because there the machine's code and the program's differ:

- a thread's own stack: where the machine has too few registers, it keeps values there, and each call leaves an address;
- constants and the addresses of functions in other libraries, which are read from memory that is never written;
- what happens inside libraries, and where one is called to access memory for the program (memcpy): the trace has one
  range there, the machine as many accesses as the library likes; main, too, from where libraries are called that have
  no debug information, so that the front end names their caller, and what the process does after it;
- vectors: one access of the machine stands for several of the program, so that vectorizing is off.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "behaviour"))
from program import clean_environment  # noqa: E402

ACCESS = re.compile(r"t\d+ (read|write) 0x([0-9a-f]+) size=(\d+)(.*)  (\S+):(\d+) (\w+)")
CONSTANT = (".rodata", ".got", ".got.plt", ".data.rel.ro")
ENDS = ("main", "__libc_start_call_main", "_dl_call_fini")  # the second is main without a line
VARIABLE = (".data", ".bss")
SECTION = re.compile(r"\] (\.\S+) +\w+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)")
PROGRAMS = {
    "scalars.c": """
#include <pthread.h>
#include <stdlib.h>
struct Row { char small; short middle; long large; double real; struct Row* next; };
static int table[256];
static long total;
static struct Row* rows;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* argument) {
  const int me = *(int*)argument;
  for (int i = 0; i < 1000; ++i)
    table[i * 7 % 128 + 128 * me]++;
  for (int i = 0; i < 300; ++i) {
    struct Row* row = &rows[i % 20 + 20 * me];
    row->small += 1;
    row->middle = (short)(row->middle + row->small);
    row->large = row->large * 3 + row->middle;
    row->real = row->real / 2 + 1;
    if (row->next != 0)
      row->next->large ^= i;
    row->next = &rows[20 * me + i % 7];
  }
  pthread_mutex_lock(&mutex);
  total += table[128 * me];
  pthread_mutex_unlock(&mutex);
  return 0;
}
int main(void) {
  static int ids[2] = {0, 1};
  pthread_t threads[2];
  rows = calloc(40, sizeof(struct Row));
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &ids[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return total == 0;
}
""",
    "list.cc": """
#include <mutex>
#include <thread>
struct Node { int key; int hits; Node* next; };
static Node* head;
static std::mutex mutex;
static long found[2];
static void add(int key) {
  Node** place = &head;
  while (*place != nullptr && (*place)->key < key)
    place = &(*place)->next;
  *place = new Node{key, 0, *place};
}
static void look(int key, int me) {
  for (Node* node = head; node != nullptr; node = node->next) {
    if (node->key != key) continue;
    node->hits++;
    found[me] += node->hits;
  }
}
static void work(int me) {
  for (int i = 0; i < 60; ++i) {
    const std::lock_guard<std::mutex> guard(mutex);
    add(i * 37 % 60 + 60 * me);
    look(i, me);
  }
}
int main() {
  std::thread first(work, 0);
  first.join();
  std::thread second(work, 1);
  second.join();
  return found[0] + found[1] == 0;
}
""",
}
LEVELS = ("-O0", "-O1", "-O2")
def run(command, directory):
    environment = clean_environment() | {"NORN_CASEBOOK": "none", "NORN_DIR": str(directory / "norn")}
    done = subprocess.run(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, (command, done)
    return done.stdout


class Sections:
    """Where an executable has its memory. (None is built to be moved.)"""

    def __init__(self, program, directory):
        self.ranges = [(name, range(int(start, 16), int(start, 16) + int(size, 16)))
                       for name, start, size in SECTION.findall(run(["readelf", "-SW", program], directory))]

    def has(self, address, names):
        return any(address in addresses for name, addresses in self.ranges if name in names)


def counts(norn, program, source, level, directory):
    """Accesses of the program's own source, by operation, and by line at -O0."""
    trace = f"{program}.{source}{level}"
    run([norn, "record", "--fail-on=none", f"--out={trace}", "--", f"./{program}"], directory)
    sections = Sections(program, directory)
    found = collections.Counter()
    for line in run([norn, "trace", "dump", trace], directory).splitlines():
        match = ACCESS.search(line)
        if not match or int(match[3]) > 16 or " stack" in match[4] or match[7] in ENDS:
            continue
        address = int(match[2], 16)
        own = match[5] == source and not sections.has(address, CONSTANT)
        # An instruction without a line is told by its caller, perhaps in a library.
        if own or (level != "-O0" and sections.has(address, VARIABLE)):
            found[match[1], int(match[6]) if level == "-O0" else 0] += 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    binaries = pathlib.Path(parser.parse_args().bin).resolve()
    norn = str(binaries / "norn")
    wrong = []
    compared = 0
    with tempfile.TemporaryDirectory(prefix="norn-counts-") as name:
        directory = pathlib.Path(name)
        for source, text in PROGRAMS.items():
            (directory / source).write_text(text)
            c = source.endswith(".c")
            for level in LEVELS:
                # Vectors are the machine's, and the plain build's alone.
                flags = ["-g", level, "-fno-vectorize", "-fno-slp-vectorize", "-pthread", "-fno-pie", "-no-pie", source]
                run([str(binaries / ("norn-cc" if c else "norn-c++")), "-fnorn-profile=trace", *flags, "-o", "traced"],
                    directory)
                run(["clang-19" if c else "clang++-19", *flags, "-o", "plain"], directory)
                traced, counted = (counts(norn, program, source, level, directory) for program in ("traced", "plain"))
                assert sum(counted.values()) > 1000, counted
                compared += sum(counted.values())
                wrong += [f"{source} {level}: {operation}s in line {place}: {traced[operation, place]} in the trace, "
                          f"{counted[operation, place]} by Valgrind"
                          for operation, place in sorted(traced.keys() | counted.keys())
                          if traced[operation, place] != counted[operation, place]]
    print("\n".join(wrong))
    print(f"{compared} accesses compared, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
