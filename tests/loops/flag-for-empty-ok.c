// Flag: a for loop with an empty body.
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
  for (; !flag;) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
