// Flag: a loop made of goto.
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
again:
  if (!flag) goto again;
  x = 2;
}

int main(void) { meet(waits, sets); }
