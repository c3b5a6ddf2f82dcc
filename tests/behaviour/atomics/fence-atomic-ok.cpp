// A release fence before a relaxed store, and an acquire load.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic<bool> ready;
int x;

int main() {
  run_two(
      [] {
        x = 1;
        std::atomic_thread_fence(std::memory_order_release);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
        x++;
      });
  return x != 2;
}
