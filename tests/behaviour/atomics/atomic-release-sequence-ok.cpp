// A relaxed rmw of a third thread continues the release sequence.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic<int> state;
int x;

int main() {
  std::thread publishes([] {
    x = 1;
    state.store(1, std::memory_order_release);
    end_turn();
  });
  std::thread continues([] {
    await_turn(1);
    state.fetch_add(1, std::memory_order_relaxed);
    end_turn();
  });
  std::thread reads([] {
    await_turn(2);
    if (state.load(std::memory_order_acquire) == 2) x++;
  });
  publishes.join();
  continues.join();
  reads.join();
  return x != 2;
}
