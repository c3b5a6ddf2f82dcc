// Flag: one of two flags is enough, and the waiter uses what belongs to the other.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x, y;

static void first(void) {
  x = 1;
  a = 1;
  end_turn();
}

static void waits(void) {
  await_turn(1);
  while (!a && !b) {
  }
  x++;
  y++;  // RACE: observed y
  end_turn();
}

static void second(void) {
  await_turn(2);
  y = 1;  // RACE: observed y
  b = 1;
}

int main(void) {
  const Body bodies[] = {first, waits, second};
  run_many(bodies, 3);
}
