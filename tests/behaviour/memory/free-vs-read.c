// A read of a block that another thread then frees.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

long* block;
long seen;

static void reads(void) {
  seen = block[1];  // RACE: observed block
  end_turn();
}

static void frees(void) {
  await_turn(1);
  free(block);  // RACE: observed block
}

int main(void) {
  block = calloc(4, sizeof *block);
  run_two(reads, frees);
}
