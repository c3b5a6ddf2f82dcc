// Home-made once: the second comes when all is done, and its loop never spins. The state is written plainly, as the
// flag of figure 7.5 is: all races on it are the synchronization itself.
// NORACE
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { kNew, kBusy, kDone };
static volatile int state;
int table;
int seen[2];

static void initialise_once(void) {
  if (__sync_bool_compare_and_swap(&state, kNew, kBusy)) {
    table = 7;
    compiler_barrier();
    state = kDone;
  }
  while (state != kDone) {
  }
  compiler_barrier();
}

static void first(void) {
  initialise_once();
  seen[0] = table;
  end_turn();
}

static void second(void) {
  await_turn(1);
  initialise_once();
  seen[1] = table;
}

int main(void) { run_two(first, second); }
