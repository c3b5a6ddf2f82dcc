// A zero-width field puts the bit-fields into different units.
// NORACE
// RUN: %check %s

#include "order.h"

struct {
  unsigned left : 4;
  unsigned : 0;
  unsigned right : 4;
} flags;

static void first(void) {
  for (int i = 0; i < 100; i++) flags.left++;
}

static void second(void) {
  for (int i = 0; i < 100; i++) flags.right++;
}

int main(void) { run_two(first, second); }
