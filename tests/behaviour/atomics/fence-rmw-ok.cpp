// The usual reference count: released by each decrement, acquired by a fence of the last.
// NORACE
// RUN: %check %s

#include <atomic>

#include "order.h"

struct Shared {
  std::atomic<int> owners{2};
  int parts[2] = {};
};
Shared* shared = new Shared;

static void let_go(int part) {
  shared->parts[part]++;
  if (shared->owners.fetch_sub(1, std::memory_order_release) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    delete shared;
  }
}

int main() {
  run_two(
      [] {
        let_go(0);
        end_turn();
      },
      [] {
        await_turn(1);
        let_go(1);
      });
}
