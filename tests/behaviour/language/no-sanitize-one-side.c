// What an instrumented function does is checked, whatever its callers asked for.
// RUN: %check %s

#include "order.h"

int x;

static __attribute__((noinline)) void writes(int value) {
  x = value;  // RACE: observed x
}

static __attribute__((no_sanitize("thread"))) void first(void) {
  writes(1);
  end_turn();
}

static __attribute__((no_sanitize("thread"))) void second(void) {
  await_turn(1);
  writes(2);
}

int main(void) { run_two(first, second); }
