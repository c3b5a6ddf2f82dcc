// A race, a line of output and a status of its own: for the tests that are scripts.
#include <stdio.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;
}

int main(void) {
  run_two(first, second);
  puts("its own output");
  return 3;
}
