// Flag: a do-while loop.
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
  do {
  } while (flag == 0);
  x = 2;
}

int main(void) { meet(waits, sets); }
