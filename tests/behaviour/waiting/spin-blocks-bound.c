// A condition of three flags takes three blocks where nothing is optimised, which is more than --spin=2 allows.
// OPTIONS: --spin=2
// RUN: %check %s --levels=-O0

#include "order.h"

volatile int a, b, c;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  a = 1;  // RACE: observed a
  b = 1;  // RACE: observed b
  c = 1;  // RACE: observed c
  end_turn();
}

static void waits(void) {
  await_turn(1);
  while (!(a &&   // RACE: observed a
           b &&   // RACE: observed b
           c)) {  // RACE: observed c
  }
  x = 2;  // RACE: observed x
}

int main(void) { run_two(sets, waits); }
