// Who loads an atomic shared pointer gives its lock up before who stores takes it.
// NORACE
// RUN: %check %s

#include <atomic>
#include <memory>

#include "order.h"

std::atomic<std::shared_ptr<int>> number;
std::atomic<std::weak_ptr<int>> weak;

static void loads() {
  auto seen = number.load();
  auto weakly = weak.load();
  auto other = std::make_shared<int>(2);
  number.compare_exchange_strong(other, seen);
  number.wait(nullptr);
  end_turn();
  await_turn(2);
}

static void stores() {
  await_turn(1);
  number.store(std::make_shared<int>(3));
  weak.store(number.load());
  end_turn();
}

int main() {
  number.store(std::make_shared<int>(1));
  weak.store(number.load());
  run_two(loads, stores);
}
