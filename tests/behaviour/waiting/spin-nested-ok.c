// Loops in loops, each of which waits (listing 8.1).
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int a = 1, b = 1, c = 1, d = 1, e = 1;

static void sets(void) {
  early = 1;
  c = 0;
  b = 0;
  a = 0;
  end_turn();
  await_turn(2);
  late = 1;
  e = 0;
  d = 0;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (a) {
    while (b) {
      while (c) come_round(&rounds);
    }
  }
  early = 2;
  while (d) {
    while (e) come_round(&rounds);
  }
  late = 2;
}

int main(void) { run_two(sets, waits); }
