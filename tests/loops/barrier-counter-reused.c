// Home-made barrier: its counter is never put back, so that the second time nobody waits.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

static volatile int arrived;
int x;

static void barrier(void) {
  __sync_add_and_fetch(&arrived, 1);
  while (arrived < 2) {
  }
}

static void first(void) {
  barrier();
  barrier();
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  barrier();
  await_turn(1);
  x++;  // RACE: observed x
  barrier();
}

int main(void) { run_two(first, second); }
