// No spin: the loop ends its own condition, and waits for nobody.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void other(void) {
  x = 1;     // RACE: observed x
  flag = 0;  // RACE: observed flag
  end_turn();
}

static void loops(void) {
  await_turn(1);
  int rounds = 0;
  while (!flag) {  // MAYBE: flag
    rounds++;
    flag = rounds == 3;  // RACE: observed flag
  }
  x = 2;  // RACE: observed x
}

int main(void) { run_two(other, loops); }
