// Waiting with relaxed order acquires nothing.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<int> stage;
int x;

static void publishes() {
  x = 1;  // RACE: observed x
  stage.store(1, std::memory_order_release);
  end_turn();
}

static void waits() {
  await_turn(1);
  stage.wait(0, std::memory_order_relaxed);
  x = 2;  // RACE: observed x
}

int main() { run_two(publishes, waits); }
