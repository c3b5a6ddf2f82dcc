// Thesis, figure 7.4 with a third thread that touches X and waits for nobody.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int CONDITION;
int X;

static void thread_1(void) {
  X++;  // MAYBE: X
  CONDITION = 1;
  end_turn();
}

static void thread_2(void) {
  while (!CONDITION) {
  }
  X--;  // RACE: observed X
  end_turn();
}

static void thread_3(void) {
  await_turn(2);
  X = 7;  // RACE: observed X
}

int main(void) {
  const Body bodies[] = {thread_1, thread_2, thread_3};
  run_many(bodies, 3);
}
