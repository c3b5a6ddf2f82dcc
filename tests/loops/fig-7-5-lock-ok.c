// Thesis, figure 7.5: lock and unlock as libraries make them, the unlock a plain write.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int lock_flag;
int X;

static void lock(void) {
  while (__sync_lock_test_and_set(&lock_flag, 1)) {
    while (lock_flag) {
    }
  }
}

static void unlock(void) {
  compiler_barrier();
  lock_flag = 0;
}

static void work(void) {
  for (int i = 0; i < 20; ++i) {
    lock();
    X++;
    unlock();
  }
}

int main(void) { run_two(work, work); }
