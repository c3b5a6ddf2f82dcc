// Bit-fields of one unit share its memory: writing one rewrites the other.
// RUN: %check %s

#include "order.h"

struct {
  unsigned left : 4;
  unsigned right : 4;
} flags;

static void first(void) {
  flags.left = 1;  // RACE: observed flags
  end_turn();
}

static void second(void) {
  await_turn(1);
  flags.right = 2;  // RACE: observed flags
}

int main(void) { run_two(first, second); }
