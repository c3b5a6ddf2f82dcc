// Without the library: the data is written after the flag.
// OPTIONS: --lib=off
// TABLE: no
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!flag) {
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
