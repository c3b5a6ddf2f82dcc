// Flag: relaxed atomics, ordered by fences.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdatomic.h>

#include "arrival.h"

atomic_int flag;
int x;

static void sets(void) {
  x = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void waits(void) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  atomic_thread_fence(memory_order_acquire);
  x = 2;
}

int main(void) { meet(waits, sets); }
