// A loop with a limit that is left because the flag was seen: by that way out the order is certain, and by the other
// the data is not touched.
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
  for (long tries = 0; tries < 1000000000; ++tries) {
    if (flag) {
      x = 2;
      return;
    }
    sched_yield();
  }
}

int main(void) { meet(waits, sets); }
