// Flag: two flags of two threads side by side in one word. The waiter waits for one and uses the data of the other.
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

struct {
  volatile char a, b;
} flags;

int x, y;

static void first(void) {
  x = 1;
  flags.a = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  y = 1;  // RACE: observed y
  flags.b = 1;
  end_turn();
}

static void waits(void) {
  await_turn(2);
  while (!flags.a) {
  }
  y = 2;  // RACE: observed y
}

int main(void) {
  const Body bodies[] = {first, second, waits};
  run_many(bodies, 3);
}
