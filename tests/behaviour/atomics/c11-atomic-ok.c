// C11: a flag stored with release and loaded with acquire publishes what came before.
// NORACE
// RUN: %check %s

#include <sched.h>
#include <stdatomic.h>

#include "order.h"

atomic_int ready;
int x;

static void publishes(void) {
  x = 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
}

static void reads(void) {
  while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
  x++;
}

int main(void) {
  run_two(publishes, reads);
  return x != 2;
}
