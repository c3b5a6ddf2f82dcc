// Flag: a loop that works while it polls a stop flag.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int stop;
long work;
int x;

static void stops(void) {
  x = 1;
  stop = 1;
}

static void works(void) {
  while (!stop) work++;
  x = 2;
}

int main(void) { meet(works, stops); }
