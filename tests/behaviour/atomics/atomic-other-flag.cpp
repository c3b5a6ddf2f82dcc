// Release on one atomic, acquire on another.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<int> one, other;
int x;

static void publishes() {
  x = 1;  // RACE: observed x
  one.store(1, std::memory_order_release);
  end_turn();
}

static void reads() {
  await_turn(1);
  other.load(std::memory_order_acquire);
  x = 2;  // RACE: observed x
}

int main() { run_two(publishes, reads); }
