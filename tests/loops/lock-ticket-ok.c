// Home-made lock: tickets; the next one is served by a plain increment.
// NORACE
// RUN: %check %s
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

static void work(void) {
  for (int i = 0; i < 10; ++i) {
    lock();
    x++;
    unlock();
  }
}

int main(void) { run_two(work, work); }
