// Flag: two flags of two threads side by side in one word. The one that is waited for was set first.
// NORACE
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

struct {
  volatile char a, b;
} flags;

int x;

static void first(void) {
  x = 1;
  flags.a = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  flags.b = 1;
  end_turn();
}

static void waits(void) {
  await_turn(2);
  while (!flags.a) {
  }
  x = 2;
}

int main(void) {
  const Body bodies[] = {first, second, waits};
  run_many(bodies, 3);
}
