// Library: a block is freed while another thread may use it.
// RUN: %check %s --levels=-O0,-O2

#include <stdlib.h>

#include "arrival.h"

int* block;

static void uses(void) {
  block[1] = 1;  // RACE: observed <block>
  end_turn();
}

static void frees(void) {
  await_turn(1);
  free(block);  // RACE: observed <block>
}

int main(void) {
  block = calloc(2, sizeof(int));
  run_two(uses, frees);
}
