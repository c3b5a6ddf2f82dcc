// Home-made barrier: it counts one thread less than there are.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 2 };
static volatile int arrived;
int x;

static void barrier(void) {
  __sync_add_and_fetch(&arrived, 1);
  while (arrived < N - 1) {
  }
}

static void first(void) {
  barrier();
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
  barrier();
}

int main(void) { run_two(first, second); }
