// Flag: an array of flags, and the loop around the loop ends one too early.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 2 };
volatile int flags[N];
int parts[N];
int sum;

static void first(void) {
  parts[0] = 1;
  flags[0] = 1;
  end_turn();
}

static void waits(void) {
  await_turn(1);
  for (int i = 0; i < N - 1; ++i) {
    while (!flags[i]) {
    }
  }
  sum = parts[0];
  sum += parts[1];  // RACE: observed parts
  end_turn();
}

static void second(void) {
  await_turn(2);
  parts[1] = 2;  // RACE: observed parts
  flags[1] = 1;
}

int main(void) {
  const Body bodies[] = {first, waits, second};
  run_many(bodies, 3);
}
