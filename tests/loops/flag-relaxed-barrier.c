// Flag: relaxed atomics and the compiler kept from reordering, as code for x86 alone is written. To the language it is
// a race, and on other processors a bug: who says relaxed is taken at his word, in a loop too.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdatomic.h>

#include "arrival.h"

atomic_int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  __asm__ volatile("" ::: "memory");
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void waits(void) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
  }
  __asm__ volatile("" ::: "memory");
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
