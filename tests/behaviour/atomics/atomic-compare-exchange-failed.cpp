// A compare-exchange that fails with relaxed order acquires nothing.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<int> state;
int x;

static void publishes() {
  x = 1;  // RACE: observed x
  state.store(2, std::memory_order_release);
  end_turn();
}

static void fails() {
  await_turn(1);
  int expected = 1;
  state.compare_exchange_strong(expected, 3, std::memory_order_acq_rel, std::memory_order_relaxed);
  x = 2;  // RACE: observed x
}

int main() { run_two(publishes, fails); }
