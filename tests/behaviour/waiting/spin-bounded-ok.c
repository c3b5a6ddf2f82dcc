// A loop that would give up after a while, but was left because of the flag.
// NORACE
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
  for (int i = 0; i < 1000000000 && !first; ++i) come_round(&rounds);
  early = 2;
  for (int i = 0; !second && i < 1000000000; ++i) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
