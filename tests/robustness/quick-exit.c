// quick_exit runs its own handlers.
// STDOUT: quickly
// EXIT: 9
// RUN: %check %s
// RUN: %norn-cc -O1 %s -o %t && (%t > %t.out 2> %t.err; test $? -eq 66) && grep quickly %t.out

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
