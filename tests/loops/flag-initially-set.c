// Flag: set from the beginning, so that nobody is waited for.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag = 1;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  flag = 1;
}

static void waits(void) {
  while (!flag) {
  }
  x = 2;  // RACE: observed x
  end_turn();
}

static void late(void) {
  await_turn(1);
  sets();
}

int main(void) { run_two(waits, late); }
