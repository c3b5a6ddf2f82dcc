// Home-made reader/writer lock: a counter of readers, -1 for a writer.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <stdatomic.h>

#include "arrival.h"

atomic_int state;
int x;
int seen[2];

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

static void reads(int me) {
  for (int i = 0; i < 5; ++i) {
    read_lock();
    seen[me] += x;
    read_unlock();
  }
}

static void first(void) { reads(0); }
static void second(void) { reads(1); }

static void writes(void) {
  for (int i = 0; i < 5; ++i) {
    write_lock();
    x++;
    write_unlock();
  }
}

int main(void) {
  const Body bodies[] = {first, second, writes};
  run_many(bodies, 3);
}
