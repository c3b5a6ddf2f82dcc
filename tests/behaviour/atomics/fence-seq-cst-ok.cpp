// A sequentially consistent fence is a release and an acquire fence.
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
        std::atomic_thread_fence(std::memory_order_seq_cst);
        ready.store(true, std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
        std::atomic_thread_fence(std::memory_order_seq_cst);
        x++;
      });
  return x != 2;
}
