// Who decrements a counter to zero comes after all who decremented it.
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
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

int main() {
  run_two([] { let_go(0); }, [] { let_go(1); });
}
