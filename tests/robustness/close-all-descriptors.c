// A daemon closes all descriptors that it did not open.
// EXIT: 1
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
  for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
  norn_test_turns = -1;
  norn_test_open_turns();
  run_two(first, second);
  return 1;
}
