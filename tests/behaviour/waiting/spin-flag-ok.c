// A flag that is waited for in a loop (thesis figures 1.8, 7.2, 7.4), set before the loop is reached and while it goes
// round.
// NORACE
// ENGINES: hybrid hb
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int first, second;

static void sets(void) {
  early = 1;
  first = 1;
  end_turn();
  await_turn(2);
  late = 1;
  second = 1;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!first) come_round(&rounds);
  early = 2;
  while (!second) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
