// Home-made semaphore: spins until there is something to take, and takes it with a compare-and-swap.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int value;
int x;

static void post(void) { __sync_fetch_and_add(&value, 1); }

static void take(void) {
  for (;;) {
    const int now = value;
    if (now > 0 && __sync_bool_compare_and_swap(&value, now, now - 1)) return;
  }
}

static void gives(void) {
  x = 1;
  post();
}

static void takes(void) {
  take();
  x = 2;
}

int main(void) { meet(takes, gives); }
