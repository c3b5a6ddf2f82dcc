// Home-made lock: test-and-set, with the mistake that it is given up by a relaxed store: the threads are apart in time,
// and nothing orders them.
// RUN: %check %s
// RUN: %check-lto %s

#include <atomic>

#include "arrival.h"

std::atomic<int> taken{0};
int x;

static void work() {
  while (taken.exchange(1, std::memory_order_acquire)) __builtin_ia32_pause();
  x++;  // RACE: observed x
  taken.store(0, std::memory_order_relaxed);
}

int main() { run_two(work, work); }
