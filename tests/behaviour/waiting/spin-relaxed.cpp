// Atomic flags, relaxed: they order nothing, also for who waits for one in a loop.
// ENGINES: hybrid hb
// RUN: %check-loops %s

#include <atomic>

#include "order.h"

int early, late;
std::atomic<bool> first{false};
std::atomic<int> second{0};

static void sets() {
  early = 1;  // RACE: observed early
  first.store(true, std::memory_order_relaxed);
  end_turn();
  await_turn(2);
  late = 1;  // RACE: observed late
  second.store(7, std::memory_order_relaxed);
}

static void waits() {
  int rounds = 0;
  await_turn(1);
  while (!first.load(std::memory_order_relaxed)) come_round(&rounds);
  early = 2;  // RACE: observed early
  while (second.load(std::memory_order_relaxed) != 7) come_round(&rounds);
  late = 2;  // RACE: observed late
}

int main() { run_two(sets, waits); }
