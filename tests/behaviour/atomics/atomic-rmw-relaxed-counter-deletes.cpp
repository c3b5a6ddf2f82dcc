// A relaxed counter of owners: who deletes is not ordered after the other's use.
// RUN: %check %s

#include <atomic>

#include "order.h"

struct Shared {
  int part = 0;
};
Shared* shared = new Shared;
std::atomic<int> owners{2};

static void uses() {
  shared->part = 1;  // RACE: observed part
  owners.fetch_sub(1, std::memory_order_relaxed);
  end_turn();
}

static void deletes() {
  await_turn(1);
  if (owners.fetch_sub(1, std::memory_order_relaxed) == 1) delete shared;  // RACE: observed part
}

int main() { run_two(uses, deletes); }
