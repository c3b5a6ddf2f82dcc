// Thesis, figure 7.5: one of the threads forgets the lock.
// RUN: %check %s --levels=-O0,-O2
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

static void careful(void) {
  lock();
  X++;  // RACE: observed X
  unlock();
  end_turn();
}

static void careless(void) {
  await_turn(1);
  X++;  // RACE: observed X
}

int main(void) { run_two(careful, careless); }
