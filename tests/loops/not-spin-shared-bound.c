// No spin: the bound of a loop is shared, its counter is not.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int bound = 4;
int numbers[8];
int sum;

static void grows(void) {
  numbers[4] = 1;  // RACE: observed numbers
  bound = 5;       // RACE: observed bound
  end_turn();
}

static void sums(void) {
  await_turn(1);
  int i = 0;
  while (i < bound) {   // RACE: observed bound
    sum += numbers[i];  // RACE: observed numbers
    i++;
  }
}

int main(void) { run_two(grows, sums); }
