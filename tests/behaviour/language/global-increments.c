// The same line races with itself.
// ENGINES: hb hybrid
// RUN: %check %s

#include "order.h"

int x;

static void add(int turn) {
  await_turn(turn);
  x++;  // RACE: observed x
  end_turn();
}

static void first(void) { add(0); }

static void second(void) { add(1); }

int main(void) { run_two(first, second); }
