// Of a function that asks not to be instrumented the atomics are followed nevertheless: they may be how a lock is made.
// NORACE
// RUN: %check %s

#include <stdatomic.h>

#include "order.h"

static atomic_int locked;
int x;

static __attribute__((noinline, no_sanitize("thread"))) void take(void) {
  while (atomic_exchange_explicit(&locked, 1, memory_order_acquire)) {
  }
}
static __attribute__((noinline, no_sanitize("thread"))) void give(void) {
  atomic_store_explicit(&locked, 0, memory_order_release);
}

static void first(void) {
  take();
  x = 1;
  give();
  end_turn();
}

static void second(void) {
  await_turn(1);
  take();
  x = 2;
  give();
}

int main(void) { run_two(first, second); }
