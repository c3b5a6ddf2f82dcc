// Flag: yields the processor in the loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  while (!flag) sched_yield();
  x = 2;
}

int main(void) { meet(waits, sets); }
