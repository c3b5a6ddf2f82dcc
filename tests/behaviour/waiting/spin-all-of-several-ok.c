// Conditions of several flags, each set by itself.
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int a, b, c, d, e;

static void sets(void) {
  early = 1;
  a = 1;
  b = 1;
  c = 1;
  end_turn();
  await_turn(2);
  late = 1;
  d = 1;
  e = 2;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!(a && b && c)) come_round(&rounds);
  early = 2;
  while (d == 0 || e != 2) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
