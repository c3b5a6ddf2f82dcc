// A spin lock on an atomic_flag.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic_flag busy;
int x;

static void adds() {
  for (int i = 0; i < 100; i++) {
    while (busy.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    x++;
    busy.clear(std::memory_order_release);
  }
}

int main() {
  run_two(adds, adds);
  return x != 200;
}
