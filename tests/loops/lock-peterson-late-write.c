// Home-made lock: Peterson's, with sequentially consistent atomics; one thread writes after it gave the lock up.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stdatomic.h>

#include "arrival.h"

atomic_int wants[2];
atomic_int last;
int x;

static void lock(int me) {
  wants[me] = 1;
  last = me;
  while (wants[1 - me] && last == me) {
  }
}

static void unlock(int me) { wants[me] = 0; }

static void hasty(void) {
  lock(0);
  unlock(0);
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  lock(1);
  x++;  // RACE: observed x
  unlock(1);
}

int main(void) { run_two(hasty, second); }
