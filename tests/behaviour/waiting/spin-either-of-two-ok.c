// Either of two flags ends the loop.
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int a, b, c, d;

static void sets(void) {
  early = 1;
  b = 1;
  end_turn();
  await_turn(2);
  late = 1;
  c = 1;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!a && !b) come_round(&rounds);
  early = 2;
  while (!(c | d)) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
