// No spin: the loop leaves by its counter, so nobody was waited for. (The flag is looked at; whether it is told is
// open.)
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void waits(void) {
  int tries = 0;
  while (!flag && tries < 100) tries++;  // EITHER
  x = 2;                                 // RACE: observed x
  end_turn();
}

static void sets(void) {
  await_turn(1);
  x = 1;     // RACE: observed x
  flag = 1;  // EITHER
}

int main(void) { run_two(waits, sets); }
