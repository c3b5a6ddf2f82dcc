// Home-made sequence lock: the writer writes again and leaves the number even, so that a reader may be in there.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

static volatile unsigned sequence;
int a;
int seen;

static void writes(void) {
  a = 1;
  sequence = 2;
  end_turn();
  await_turn(2);
  a = 3;  // RACE: observed a
  sequence = 4;
}

static void reads(void) {
  await_turn(1);
  unsigned before;
  do {
    while ((before = sequence) == 0 || (before & 1)) {
    }
    compiler_barrier();
    seen = a;  // RACE: observed a
  } while (sequence != before);
  end_turn();
}

int main(void) { run_two(writes, reads); }
