// A relaxed atomic that is not waited for in a loop orders nothing.
// RUN: %check-loops %s

#include <atomic>

#include "order.h"

int x;
std::atomic<bool> flag{false};

static void sets() {
  x = 1;  // RACE: observed x
  flag.store(true, std::memory_order_relaxed);
  end_turn();
}

static void looks() {
  await_turn(1);
  if (flag.load(std::memory_order_relaxed)) x = 2;  // RACE: observed x
}

int main() { run_two(sets, looks); }
