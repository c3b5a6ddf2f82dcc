// Flag: two threads take turns, but one gives its turn away before it is done.
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int turn;
int x;

static void ping(void) {
  for (int i = 0; i < 5; ++i) {
    while (turn != 0) {
    }
    turn = 1;
    compiler_barrier();
    x++;  // RACE: observed x
  }
}

static void pong(void) {
  for (int i = 0; i < 5; ++i) {
    while (turn != 1) {
    }
    compiler_barrier();
    x++;  // RACE: observed x
    compiler_barrier();
    turn = 0;
  }
}

int main(void) { run_two(ping, pong); }
