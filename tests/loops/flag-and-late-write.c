// Flag: both of two flags must be seen; one of the two threads that set them writes its data after it.
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
  b = 1;
  y = 1;  // RACE: observed y
}

static void waits(void) {
  while (!(a && b)) {
  }
  x++;
  y++;  // RACE: observed y
}

int main(void) { meet_two(waits, first, second); }
