// C11: a relaxed flag publishes nothing.
// RUN: %check %s

#include <stdatomic.h>

#include "order.h"

atomic_int ready;
int x;
int seen;

static void publishes(void) {
  x = 1;  // RACE: observed x
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  end_turn();
}

static void reads(void) {
  await_turn(1);
  if (atomic_load_explicit(&ready, memory_order_relaxed)) seen = x;  // RACE: observed x
}

int main(void) { run_two(publishes, reads); }
