// _exit runs no handlers, and loses nothing that was found.
// EXIT: 5
// RUN: %check %s

#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  for (;;) pause();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  _exit(5);
}

int main(void) { run_two(first, second); }
