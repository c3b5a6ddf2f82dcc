// Home-made lock: test-and-set with a loop of its own.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static int taken;
int x;

static void lock(void) {
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock(void) { __atomic_store_n(&taken, 0, __ATOMIC_RELEASE); }

static void work(void) {
  for (int i = 0; i < 20; ++i) {
    lock();
    x++;
    unlock();
  }
}

int main(void) { run_two(work, work); }
