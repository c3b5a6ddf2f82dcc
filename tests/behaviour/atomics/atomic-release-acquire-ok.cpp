// A release store publishes to an acquire load that reads it.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic<int*> published;
int x;

int main() {
  run_two(
      [] {
        x = 1;
        published.store(&x, std::memory_order_release);
      },
      [] {
        int* got;
        while (!(got = published.load(std::memory_order_acquire))) std::this_thread::yield();
        *got += 1;
      });
  return x != 2;
}
