// A test before the loop, written out, and one that the optimiser makes of two rounds.
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
  if (!first) {
    do {
      come_round(&rounds);
    } while (!first);
  }
  early = 2;
  if (!second) {
    come_round(&rounds);
    while (!second) come_round(&rounds);
  }
  late = 2;
}

int main(void) { run_two(sets, waits); }
