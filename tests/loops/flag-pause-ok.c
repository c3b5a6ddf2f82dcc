// Flag: a pause instruction in the loop.
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
  while (!flag) __builtin_ia32_pause();
  x = 2;
}

int main(void) { meet(waits, sets); }
