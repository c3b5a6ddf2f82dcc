// Home-made reader/writer lock: a counter of readers, -1 for a writer, who writes once more after it gave the lock up.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stdatomic.h>

#include "arrival.h"

atomic_int state;
int x;
int seen;

static void read_lock(void) {
  for (;;) {
    int readers = atomic_load_explicit(&state, memory_order_relaxed);
    if (readers >= 0 && atomic_compare_exchange_weak_explicit(&state, &readers, readers + 1, memory_order_acquire,
                                                              memory_order_relaxed))
      return;
  }
}

static void read_unlock(void) { atomic_fetch_sub_explicit(&state, 1, memory_order_release); }

static void write_lock(void) {
  int nobody = 0;
  while (!atomic_compare_exchange_weak_explicit(&state, &nobody, -1, memory_order_acquire, memory_order_relaxed))
    nobody = 0;
}

static void write_unlock(void) { atomic_store_explicit(&state, 0, memory_order_release); }

static void writes(void) {
  write_lock();
  write_unlock();
  x++;  // RACE: observed x
  end_turn();
}

static void reads(void) {
  await_turn(1);
  read_lock();
  seen = x;  // RACE: observed x
  read_unlock();
}

int main(void) { run_two(writes, reads); }
