// A loop that changes its own condition does not wait for others.
// RUN: %check-loops %s

#include "order.h"

volatile int left = 3;
int x;

static void changes(void) {
  x = 1;     // RACE: observed x
  left = 2;  // RACE: observed left
  end_turn();
}

static void counts(void) {
  await_turn(1);
  while (left > 0) --left;  // RACE: observed left
  x = 2;                    // RACE: observed x
}

int main(void) { run_two(changes, counts); }
