// Flag: two flags of two threads side by side in one word. The waiter waits for one and uses the data of the other.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

struct {
  volatile char a, b;
} flags;

int x, y;

static void first(void) {
  x = 1;
  flags.a = 1;
}

static void second(void) {
  y = 1;  // RACE: observed y
  flags.b = 1;
}

static void waits(void) {
  while (!flags.a) {
  }
  y = 2;  // RACE: observed y
}

int main(void) { meet_two(waits, first, second); }
