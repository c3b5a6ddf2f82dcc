// A program that changes its directory before it races.
// RUN: %check %s

#include <unistd.h>

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
  if (chdir("/") != 0) return 1;
  run_two(first, second);
}
