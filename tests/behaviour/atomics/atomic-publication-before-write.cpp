// The flag is released before what it announces.
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<bool> ready;
int x;

static void publishes() {
  ready.store(true, std::memory_order_release);
  x = 1;  // RACE: observed x
  end_turn();
}

static void reads() {
  await_turn(1);
  if (ready.load(std::memory_order_acquire)) x = 2;  // RACE: observed x
}

int main() { run_two(publishes, reads); }
