// No spin: each round looks at another flag of a row, until one is set.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int flags[4];
int x;

static void sets(void) {
  x = 1;         // RACE: observed x
  flags[2] = 1;  // RACE: observed flags
  end_turn();
}

static void looks(void) {
  await_turn(1);
  unsigned at = 0;
  while (!flags[at % 4]) at++;  // RACE: observed flags
  x = 2;                        // RACE: observed x
}

int main(void) { run_two(sets, looks); }
