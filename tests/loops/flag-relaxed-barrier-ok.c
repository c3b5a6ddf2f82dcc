// Flag: relaxed atomics and the compiler kept from reordering, as code for x86 alone is written.
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
  __asm__ volatile("" ::: "memory");
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void waits(void) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  __asm__ volatile("" ::: "memory");
  x = 2;
}

int main(void) { meet(waits, sets); }
