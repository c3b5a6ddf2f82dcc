// A block is written while another thread reallocates it.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int* block;
int* grown;

static void writes(void) {
  block[0] = 1;  // RACE: observed block
  end_turn();
}

static void grows(void) {
  await_turn(1);
  grown = realloc(block, 100000);  // RACE: observed block
}

int main(void) {
  block = malloc(16);
  run_two(writes, grows);
  free(grown);
}
