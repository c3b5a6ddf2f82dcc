// A relaxed store of a third thread ends the release sequence.
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

std::atomic<int> state;
int x;

int main() {
  std::thread publishes([] {
    x = 1;  // RACE: observed x
    state.store(1, std::memory_order_release);
    end_turn();
  });
  std::thread overwrites([] {
    await_turn(1);
    state.store(2, std::memory_order_relaxed);
    end_turn();
  });
  std::thread reads([] {
    await_turn(2);
    if (state.load(std::memory_order_acquire) == 2) x++;  // RACE: observed x
  });
  publishes.join();
  overwrites.join();
  reads.join();
}
