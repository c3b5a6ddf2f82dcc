// Atomic flags, relaxed: as atomics they order nothing, but who waits for one is ordered after who set it.
// NORACE
// ENGINES: hybrid hb
// RUN: %check-loops %s

#include <atomic>

#include "order.h"

int early, late;
std::atomic<bool> first{false};
std::atomic<int> second{0};

static void sets() {
  early = 1;
  first.store(true, std::memory_order_relaxed);
  end_turn();
  await_turn(2);
  late = 1;
  second.store(7, std::memory_order_relaxed);
}

static void waits() {
  int rounds = 0;
  await_turn(1);
  while (!first.load(std::memory_order_relaxed)) come_round(&rounds);
  early = 2;
  while (second.load(std::memory_order_relaxed) != 7) come_round(&rounds);
  late = 2;
}

int main() { run_two(sets, waits); }
