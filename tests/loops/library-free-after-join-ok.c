// Library: a block is freed by who joined its users.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "arrival.h"

int* block;

static void first(void) { block[0] = 1; }
static void second(void) { block[1] = 2; }

int main(void) {
  block = calloc(2, sizeof(int));
  run_two(first, second);
  free(block);
}
