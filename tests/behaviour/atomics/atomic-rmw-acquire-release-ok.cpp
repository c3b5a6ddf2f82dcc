// A spin lock of one's own: exchange with acquire, store with release.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic<int> locked;
int x;

static void adds() {
  for (int i = 0; i < 100; i++) {
    while (locked.exchange(1, std::memory_order_acquire)) std::this_thread::yield();
    x++;
    locked.store(0, std::memory_order_release);
  }
}

int main() {
  run_two(adds, adds);
  return x != 200;
}
