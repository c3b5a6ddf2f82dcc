// No spin: the loop is left because the time is over.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <time.h>

#include "arrival.h"

volatile int flag;
int x;

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

static void waits(void) {
  const long limit = now() + 200000;
  while (!flag && now() < limit) {  // EITHER
  }
  x = 2;  // RACE: observed x
  end_turn();
}

static void sets(void) {
  await_turn(1);
  x = 1;     // RACE: observed x
  flag = 1;  // EITHER
}

int main(void) { run_two(waits, sets); }
