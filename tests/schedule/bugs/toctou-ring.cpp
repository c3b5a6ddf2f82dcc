// A ring for one producer is used by two: both take the same place, and one item is lost.
// BUG: kind=toctou preemptions=1 threads=2 shows=status finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::array<int, 8> items;
std::atomic<unsigned> tail{0};

void push(int item, bool first) {
  if (!first) step(1);
  unsigned place = tail.load(std::memory_order_relaxed);
  if (first) step(0), step(3);
  items[place % items.size()] = item;
  tail.store(place + 1, std::memory_order_release);
  if (!first) step(2);
}

}  // namespace

int main() {
  std::thread one(push, 1, true), other(push, 2, false);
  one.join();
  other.join();
  return items[0] + items[1] == 3 ? 0 : 3;
}
