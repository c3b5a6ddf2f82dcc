// Home-made lock: a compare-exchange waits for it, with the mistake that it is given up by a relaxed store.
// RUN: %check %s
// RUN: %check-lto %s

#include <atomic>

#include "arrival.h"

std::atomic<bool> taken{false};
int x;

static void work() {
  bool free = false;
  while (!taken.compare_exchange_weak(free, true, std::memory_order_acquire)) free = false;
  x++;  // RACE: observed x
  taken.store(false, std::memory_order_relaxed);
}

int main() { run_two(work, work); }
