// Flag: a phase that grows; the waiter waits for the first and uses what belongs to the second.
// ARRIVAL: waiter
// RUN: %check %s

#include "arrival.h"

volatile int phase;
int y;

static void sets(void) {
  phase = 1;
  y = 1;  // RACE: observed y
  phase = 2;
}

static void waits(void) {
  while (phase < 1) {
  }
  y++;  // RACE: observed y
}

int main(void) { meet(waits, sets); }
