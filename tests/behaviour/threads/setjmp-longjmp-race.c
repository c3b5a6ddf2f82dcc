// After many jumps out of nested calls the stack of the access is still right.
// STACK: writes_after_jumps first
// NOT-STACK: dives
// RUN: %check %s

#include <setjmp.h>

#include "order.h"

int x;
jmp_buf surface;

static __attribute__((noinline)) void dives(volatile int depth) {
  if (depth == 0) longjmp(surface, 1);
  dives(depth - 1);
}

static __attribute__((noinline)) void writes_after_jumps(void) {
  for (volatile int i = 0; i < 1000; i++)
    if (setjmp(surface) == 0) dives(20);
  x = 1;  // RACE: observed x
  end_turn();
}

static void first(void) {
  writes_after_jumps();
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(first, second); }
