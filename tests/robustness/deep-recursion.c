// A recursion of a hundred thousand calls, and a race at its bottom.
// STACK: dives
// RUN: %check %s

#include "order.h"

int x;

static __attribute__((noinline)) int dives(int depth) {
  if (depth > 0) {
    int below = dives(depth - 1);
    __asm__ volatile("" : "+r"(below));
    return below + 1;
  }
  x++;  // RACE: observed x
  end_turn();
  return 0;
}

static void first(void) { dives(50000); }

static void second(void) {
  await_turn(1);
  dives(50000);
}

int main(void) { run_two(first, second); }
