// Without the library: a lock of tickets; who had it goes on with the data after giving it away.
// OPTIONS: --lib=off
// TABLE: no
// ARRIVAL: both
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

static void holder(void) {
  unlock();
  x = 1;  // RACE: observed x
}

static void waiter(void) {
  lock();
  x++;  // RACE: observed x
  unlock();
}

int main(void) {
  lock();
  meet(waiter, holder);
}
