// No spin: a compare-and-swap that is tried again until it succeeds, with relaxed order, publishes nothing.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

static int counter;
int x;

static void increment(void) {
  int now = __atomic_load_n(&counter, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&counter, &now, now + 1, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

static void first(void) {
  x = 1;  // RACE: observed x
  increment();
  end_turn();
}

static void second(void) {
  await_turn(1);
  increment();
  x = 2;  // RACE: observed x
}

int main(void) { run_two(first, second); }
