// Reference count: who lets go of the last reference frees the block.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  int references;
  int values[2];
} Block;

Block* block;

static void use(int me) {
  block->values[me] = me;
  if (__atomic_sub_fetch(&block->references, 1, __ATOMIC_ACQ_REL) == 0) free(block);
}

static void first(void) { use(0); }
static void second(void) { use(1); }

int main(void) {
  block = calloc(1, sizeof(Block));
  block->references = 2;
  run_two(first, second);
}
