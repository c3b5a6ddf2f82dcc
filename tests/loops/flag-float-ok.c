// Flag: a floating-point number.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile double level;
int x;

static void sets(void) {
  x = 1;
  level = 0.75;
}

static void waits(void) {
  while (level < 0.5) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
