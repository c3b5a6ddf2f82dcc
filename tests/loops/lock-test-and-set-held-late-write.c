// Home-made lock: test-and-set; who had the lock goes on with the data after giving it away.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int taken;
int x;

static void lock(void) {
  while (__sync_lock_test_and_set(&taken, 1)) {
  }
}

static void unlock(void) { __sync_lock_release(&taken); }

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
