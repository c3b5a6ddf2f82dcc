// Flag: a phase that grows; the waiter waits for the first and uses what belongs to the second.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int phase;
int y;

static void sets(void) {
  phase = 1;
  await_turn(1);
  y = 1;  // RACE: observed y
  phase = 2;
}

static void waits(void) {
  while (phase < 1) {
  }
  y++;  // RACE: observed y
  end_turn();
}

int main(void) { run_two(waits, sets); }
