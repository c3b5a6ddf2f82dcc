// Flag: one of two flags is enough; only one is ever set.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x;

static void sets(void) {
  x = 1;
  b = 1;
}

static void waits(void) {
  while (!a && !b) {
  }
  x++;
}

int main(void) { meet(waits, sets); }
