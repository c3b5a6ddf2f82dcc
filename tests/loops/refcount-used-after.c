// Reference count: a thread uses the block after it has let go of it.
// RUN: %check %s --levels=-O0,-O2

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  int references;
  int value;
} Block;

Block* block;
int seen;

static void first(void) {
  Block* mine = block;
  __atomic_sub_fetch(&mine->references, 1, __ATOMIC_ACQ_REL);
  seen = mine->value;  // RACE: observed <value>
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (__atomic_sub_fetch(&block->references, 1, __ATOMIC_ACQ_REL) == 0) free(block);  // RACE: observed <value>
}

int main(void) {
  block = calloc(1, sizeof(Block));
  block->references = 2;
  run_two(first, second);
}
