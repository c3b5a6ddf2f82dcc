// Thesis, listing 8.1: the outer flag ends the wait. Who clears only an inner flag, later, is not waited for.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

volatile int FLAG1 = 1, FLAG2 = 1, FLAG3 = 1;
int DATA;

static void outer(void) {
  FLAG1 = 0;
  end_turn();
}

static void waits(void) {
  await_turn(1);
  while (FLAG1) {
    while (FLAG2) {
      while (FLAG3) {
        /* do_nothing */
      }
    }
  }
  DATA++;  // RACE: observed DATA
  end_turn();
}

static void inner(void) {
  await_turn(2);
  DATA = 1;  // RACE: observed DATA
  FLAG2 = 0;
}

int main(void) {
  const Body bodies[] = {outer, waits, inner};
  run_many(bodies, 3);
}
