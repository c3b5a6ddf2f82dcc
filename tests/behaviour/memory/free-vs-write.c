// A write to a block that another thread then frees.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int* block;

static void writes(void) {
  block[3] = 1;  // RACE: observed block
  end_turn();
}

static void frees(void) {
  await_turn(1);
  free(block);  // RACE: observed block
}

int main(void) {
  block = malloc(10 * sizeof *block);
  run_two(writes, frees);
}
