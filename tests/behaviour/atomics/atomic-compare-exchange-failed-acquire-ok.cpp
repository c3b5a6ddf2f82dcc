// A compare-exchange that fails with acquire order is an acquire load.
// NORACE
// UNORDERED: race x: the exchange fails on the 0 of before, too
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<int> state;
int x;

static void publishes() {
  x = 1;
  state.store(2, std::memory_order_release);
  end_turn();
}

static void fails() {
  await_turn(1);
  int expected = 1;
  if (!state.compare_exchange_strong(expected, 3, std::memory_order_acq_rel, std::memory_order_acquire)) x++;
}

int main() {
  run_two(publishes, fails);
  return x != 2;
}
