// The simplest race: two writes to a global.
// ENGINES: hb hybrid
// RUN: %check %s

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(first, second); }
