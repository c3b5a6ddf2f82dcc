// Flag: who sets the stop flag does not wait for the worker's end, and looks at its work.
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int stop;
volatile int work;
int seen;

static void stops(void) {
  stop = 1;
  seen = work;  // RACE: observed work
}

static void works(void) {
  do {
    work++;  // RACE: observed work
  } while (!stop);
}

int main(void) { meet(works, stops); }
