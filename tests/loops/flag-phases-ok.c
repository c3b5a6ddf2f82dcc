// Flag: a phase that grows; the waiter waits for a later one than the first.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int phase;
int x, y;

static void sets(void) {
  x = 1;
  phase = 1;
  y = 1;
  phase = 2;
}

static void waits(void) {
  while (phase < 2) {
  }
  x++;
  y++;
}

int main(void) { meet(waits, sets); }
