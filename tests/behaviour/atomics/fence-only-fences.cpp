// Fences without an atomic between them order nothing.
// RUN: %check %s

#include <atomic>

#include "order.h"

int x;

static void first() {
  x = 1;  // RACE: observed x
  std::atomic_thread_fence(std::memory_order_seq_cst);
  end_turn();
}

static void second() {
  await_turn(1);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  x = 2;  // RACE: observed x
}

int main() { run_two(first, second); }
