// quick_exit runs its own handlers.
// STDOUT: quickly
// EXIT: 9
// RUN: %check %s

#include <stdio.h>
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

static void at_end(void) {
  puts("quickly");
  fflush(stdout);
}

int main(void) {
  at_quick_exit(at_end);
  run_two(first, second);
  quick_exit(9);
}
