// The default order publishes.
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
        ready = true;
      },
      [] {
        while (!ready) std::this_thread::yield();
        x++;
      });
  return x != 2;
}
