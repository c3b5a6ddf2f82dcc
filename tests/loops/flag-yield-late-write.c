// Flag: yields the processor in the loop; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!flag) sched_yield();
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
