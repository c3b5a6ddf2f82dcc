// No spin: the same, but the data is there before, and another flag than the loop's was set.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void waits(void) {
  await_turn(1);
  for (int tries = 0; tries < 50; ++tries)
    if (flag) break;  // EITHER
  x = 2;              // RACE: observed x
}

int main(void) { run_two(sets, waits); }
