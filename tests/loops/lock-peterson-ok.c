// Home-made lock: Peterson's, with sequentially consistent atomics.
// NORACE
// RUN: %check %s
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

static void work(int me) {
  for (int i = 0; i < 10; ++i) {
    lock(me);
    x++;
    unlock(me);
  }
}

static void first(void) { work(0); }
static void second(void) { work(1); }
int main(void) { run_two(first, second); }
