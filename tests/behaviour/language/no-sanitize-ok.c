// A function that asks not to be instrumented is not.
// NORACE
// RUN: %check %s

#include "order.h"

int x;

static __attribute__((noinline, no_sanitize("thread"))) void writes(int value) { x = value; }

static void first(void) {
  writes(1);
  end_turn();
}

static void second(void) {
  await_turn(1);
  writes(2);
}

int main(void) { run_two(first, second); }
