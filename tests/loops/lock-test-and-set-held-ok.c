// Home-made lock: test-and-set; one thread has the lock when the other comes for it.
// NORACE
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
  x = 1;
  unlock();
}

static void waiter(void) {
  lock();
  x++;
  unlock();
}

int main(void) {
  lock();
  meet(waiter, holder);
}
