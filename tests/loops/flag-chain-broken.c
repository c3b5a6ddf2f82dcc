// Flag: one link of the chain does not wait.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x;

static void second(void) {
  b = 1;
  end_turn();
}

static void third(void) {
  await_turn(1);
  while (!b) {
  }
  x = 2;  // RACE: observed x
  end_turn();
}

static void first(void) {
  await_turn(2);
  x = 1;  // RACE: observed x
  a = 1;
}

int main(void) {
  const Body bodies[] = {second, third, first};
  run_many(bodies, 3);
}
