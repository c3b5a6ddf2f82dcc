// No spin: the loop waits for `done`; it may also give up by throwing, and nobody waits for that.
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include <stdexcept>

#include "arrival.h"

volatile int done;
int errors;

static void counts() {
  errors = -1;  // RACE: observed errors
  done = 1;
}

static void waits() {
  while (!done) {
    if (errors > 0) throw std::runtime_error("errors");  // RACE: observed errors
    sched_yield();
  }
}

int main() { meet(waits, counts); }
