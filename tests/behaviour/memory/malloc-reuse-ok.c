// A block freed by one thread and got by another is a new block.
// NORACE
// RUN: %check %s

#include <stdlib.h>
#include <string.h>

#include "order.h"

enum { kBlocks = 64, kSize = 40 };

static void uses(void) {
  for (int i = 0; i < kBlocks; i++) {
    char* block = malloc(kSize);
    memset(block, i, kSize);
    free(block);
  }
}

static void first(void) {
  uses();
  end_turn();
}

static void second(void) {
  await_turn(1);
  uses();
}

int main(void) { run_two(first, second); }
