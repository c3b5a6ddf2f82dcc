// Without the library: a flag, and create and join.
// OPTIONS: --lib=off
// TABLE: no
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
  while (!flag) {
  }
  x++;
}

int main(void) {
  x = 3;
  meet(waits, sets);
  return x != 2;
}
