// No spin: a linear search over an array that another thread changes.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

int numbers[8];
int found;

static void writes(void) {
  numbers[5] = 7;  // RACE: observed numbers
  end_turn();
}

static void searches(void) {
  await_turn(1);
  int at = 0;
  while (at < 8 && numbers[at] != 7) at++;  // RACE: observed numbers
  found = at;
}

int main(void) { run_two(writes, searches); }
