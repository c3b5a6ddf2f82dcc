// The condition is a call that is not inlined.
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int flags[2];

__attribute__((noinline)) static int is_set(int which) { return flags[which] != 0; }

static void sets(void) {
  early = 1;
  flags[0] = 1;
  end_turn();
  await_turn(2);
  late = 1;
  flags[1] = 1;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!is_set(0)) come_round(&rounds);
  early = 2;
  while (!is_set(1)) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
