// The acquire load reads a relaxed store.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<bool> ready;
int x;
int seen;

static void publishes() {
  x = 1;  // RACE: observed x
  ready.store(true, std::memory_order_relaxed);
  end_turn();
}

static void reads() {
  await_turn(1);
  if (ready.load(std::memory_order_acquire)) seen = x;  // RACE: observed x
}

int main() { run_two(publishes, reads); }
