// atomic_ref makes a plain variable atomic for a while.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

int ready;
int x;

int main() {
  run_two(
      [] {
        x = 1;
        std::atomic_ref(ready).store(1, std::memory_order_release);
      },
      [] {
        while (!std::atomic_ref(ready).load(std::memory_order_acquire)) std::this_thread::yield();
        x++;
      });
  return x + ready != 3;
}
