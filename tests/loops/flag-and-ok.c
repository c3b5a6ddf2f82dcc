// Flag: both of two flags, set by two threads, must be seen.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x, y;

static void first(void) {
  x = 1;
  a = 1;
}

static void second(void) {
  y = 1;
  b = 1;
}

static void waits(void) {
  while (!(a && b)) {
  }
  x++;
  y++;
}

int main(void) { meet_two(waits, first, second); }
