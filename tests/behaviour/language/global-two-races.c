// Two variables, two races, each reported once for its own lines.
// RUN: %check %s

#include "order.h"

int x;
long y;

static void first(void) {
  x = 1;  // RACE: observed x
  y = 1;  // RACE: observed y
  end_turn();
}

static void second(void) {
  await_turn(1);
  y = 2;  // RACE: observed y
  x = 2;  // RACE: observed x
}

int main(void) { run_two(first, second); }
