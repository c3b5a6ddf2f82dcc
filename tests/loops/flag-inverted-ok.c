// Flag: an inverted loop, as optimizers make it: a test before, and one at the end.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  if (!flag) {
    do {
    } while (!flag);
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
