// Flag: the waiter waits for another thread's flag.
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x;

static void first(void) {
  x = 1;  // RACE: observed x
  a = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  b = 1;
  end_turn();
}

static void waits(void) {
  await_turn(2);
  while (!b) {
  }
  x = 2;  // RACE: observed x
}

int main(void) {
  const Body bodies[] = {first, second, waits};
  run_many(bodies, 3);
}
