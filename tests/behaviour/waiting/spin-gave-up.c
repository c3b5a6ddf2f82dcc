// A loop that waits for a flag, but not for ever, and was left because its patience ended: the flag was set, but later.
// RUN: %check-loops %s

#include <sched.h>

#include "order.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  await_turn(1);
  flag = 1;
}

static __attribute__((noinline)) void wait_at_most(int rounds) {
  for (int i = 0; i < rounds && !flag; ++i) sched_yield();
}

static void gives_up(void) {
  volatile int patience = 3;
  wait_at_most(patience);
  x = 2;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(sets, gives_up); }
