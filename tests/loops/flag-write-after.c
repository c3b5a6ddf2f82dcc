// Flag: some of the data is written before it, some after it.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x, y;

static void sets(void) {
  x = 1;
  flag = 1;
  y = 1;  // RACE: observed y
}

static void waits(void) {
  while (!flag) {
  }
  x = 2;
  y = 2;  // RACE: observed y
}

int main(void) { meet(waits, sets); }
