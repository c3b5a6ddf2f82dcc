// Flag: the waiter waits for another thread's flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x;

static void first(void) {
  x = 1;  // RACE: observed x
  a = 1;
}

static void second(void) { b = 1; }

static void waits(void) {
  while (!b) {
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet_two(waits, first, second); }
