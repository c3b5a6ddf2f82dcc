// A thread ends the program while others run; the handlers run in it.
// STDOUT: the end
// EXIT: 4
// RUN: %check %s

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "order.h"

int x;

static void at_end(void) { puts("the end"); }

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  for (;;) pause();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  exit(4);
}

int main(void) {
  atexit(at_end);
  run_two(first, second);
}
