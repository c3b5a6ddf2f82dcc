// What cannot be caught loses nothing either.
// SIGNAL: SIGKILL
// RUN: %check %s

#include <signal.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  raise(SIGKILL);
}

int main(void) { run_two(first, second); }
