// No spin: the loop waits for `done`, and then goes on; it may also give up by returning an error, and nobody waits for
// that.
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

volatile int done;
int errors;
int x, seen;

static void counts(void) {
  errors = -1;  // RACE: observed errors
  x = 1;
  done = 1;
}

static __attribute__((noinline)) int waits_for_it(void) {
  while (!done) {
    if (errors > 0) return -1;  // RACE: observed errors
    sched_yield();
  }
  return ++x;
}

static void waits(void) { seen = waits_for_it(); }

int main(void) { meet(waits, counts); }
