// A sum over shared memory until it is enough.
// RUN: %check-loops %s

#include "order.h"

volatile int step;
int x;

static void changes(void) {
  x = 1;     // RACE: observed x
  step = 2;  // RACE: observed step
  end_turn();
}

static void adds(void) {
  await_turn(1);
  int sum = 0;
  while (sum < 10) sum += step;  // RACE: observed step
  x = sum;                       // RACE: observed x
}

int main(void) { run_two(changes, adds); }
