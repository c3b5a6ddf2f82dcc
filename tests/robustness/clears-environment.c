// A program that clears its environment, and starts threads after.
// RUN: %check %s

#include <stdlib.h>

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

int main(void) {
  clearenv();
  run_two(first, second);
}
