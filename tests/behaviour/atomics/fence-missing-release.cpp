// An acquire fence alone: the writer has none.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<bool> ready;
int x;

static void publishes() {
  x = 1;  // RACE: observed x
  ready.store(true, std::memory_order_relaxed);
  end_turn();
}

static void reads() {
  await_turn(1);
  if (!ready.load(std::memory_order_relaxed)) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  x = 2;  // RACE: observed x
}

int main() { run_two(publishes, reads); }
