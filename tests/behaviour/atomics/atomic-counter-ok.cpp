// Atomic increments of any order do not race, at any size.
// NORACE
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<char> small;
std::atomic<short> middle;
std::atomic<int> large;
std::atomic<long> huge;

static void adds() {
  for (int i = 0; i < 100; i++) {
    small++;
    middle.fetch_add(1, std::memory_order_relaxed);
    large.fetch_add(1, std::memory_order_acquire);
    huge.fetch_add(1, std::memory_order_release);
  }
}

int main() {
  run_two(adds, adds);
  return large != 200 || huge != 200 || middle != 200;
}
