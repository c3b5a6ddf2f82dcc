// Flag: set by another thread than the one that writes the data, and nothing orders these two.
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void writes(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void sets(void) {
  await_turn(1);
  flag = 1;
  end_turn();
}

static void waits(void) {
  await_turn(2);
  while (!flag) {
  }
  x = 2;  // RACE: observed x
}

int main(void) {
  const Body bodies[] = {writes, sets, waits};
  run_many(bodies, 3);
}
