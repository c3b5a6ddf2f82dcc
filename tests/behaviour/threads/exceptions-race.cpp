// After many exceptions out of nested calls the stack of the access is still right.
// STACK: writes_after_throws first
// NOT-STACK: dives
// RUN: %check %s

#include "order.h"

int x;

static __attribute__((noinline)) void dives(int depth) {
  if (depth == 0) throw 1;
  dives(depth - 1);
  asm volatile("");
}

static __attribute__((noinline)) void writes_after_throws() {
  for (int i = 0; i < 100; i++) {
    try {
      dives(20);
    } catch (int) {
    }
  }
  x = 1;  // RACE: observed x
  end_turn();
}

static void first() {
  writes_after_throws();
  end_turn();
}

static void second() {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() { run_two(first, second); }
