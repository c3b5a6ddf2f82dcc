// No spin: the loop counts a shared variable down itself.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int left = 3;
int x;

static void adds(void) {
  x = 1;     // RACE: observed x
  left = 4;  // RACE: observed left
  end_turn();
}

static void counts(void) {
  await_turn(1);
  while (left > 0) left = left - 1;  // RACE: observed left
  x = 2;                             // RACE: observed x
}

int main(void) { run_two(adds, counts); }
