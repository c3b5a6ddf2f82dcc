// A block got by aligned_alloc, with an offset of its own, is written by two.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

long* line;

static void first(void) {
  line[5] = 1;  // RACE: observed line
  end_turn();
}

static void second(void) {
  await_turn(1);
  line[5] = 2;  // RACE: observed line
}

int main(void) {
  line = aligned_alloc(64, 64);
  run_two(first, second);
  free(line);
}
