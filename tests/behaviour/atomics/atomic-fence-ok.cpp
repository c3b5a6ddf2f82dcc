// A release store, and an acquire fence after the relaxed load that reads it.
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
        ready.store(true, std::memory_order_release);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
        std::atomic_thread_fence(std::memory_order_acquire);
        x++;
      });
  return x != 2;
}
