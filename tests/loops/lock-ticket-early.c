// Home-made lock: tickets; one thread serves the next before it is done.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

static unsigned next_ticket;
static volatile unsigned now_serving;
int x;

static void lock(void) {
  const unsigned mine = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_RELAXED);
  while (now_serving != mine) {
  }
  compiler_barrier();
}

static void unlock(void) {
  compiler_barrier();
  now_serving = now_serving + 1;
}

static void hasty(void) {
  lock();
  unlock();
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  lock();
  x++;  // RACE: observed x
  unlock();
}

int main(void) { run_two(hasty, second); }
