// Flag: an endless loop, left by a return with a value.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 3;
}

static __attribute__((noinline)) int await(void) {
  while (1) {
    const int value = flag;
    if (value != 0) return value;
  }
}

static void waits(void) { x = await(); }
int main(void) { meet(waits, sets); }
