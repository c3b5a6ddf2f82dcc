// A spin lock on an atomic_flag that is cleared with relaxed order.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic_flag busy;
int x;

static void first() {
  (void)busy.test_and_set(std::memory_order_acquire);
  x = 1;  // RACE: observed x
  busy.clear(std::memory_order_relaxed);
  end_turn();
}

static void second() {
  await_turn(1);
  (void)busy.test_and_set(std::memory_order_acquire);
  x = 2;  // RACE: observed x
}

int main() { run_two(first, second); }
