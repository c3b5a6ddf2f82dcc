// Home-made semaphore: there is one to take before anything was given.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

static volatile int value = 1;
int x;

static void post(void) { __sync_fetch_and_add(&value, 1); }

static void take(void) {
  for (;;) {
    const int now = value;
    if (now > 0 && __sync_bool_compare_and_swap(&value, now, now - 1)) return;
  }
}

static void takes(void) {
  take();
  x = 2;  // RACE: observed x
  end_turn();
}

static void gives(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
  post();
}

int main(void) { run_two(takes, gives); }
