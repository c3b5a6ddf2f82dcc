// Four threads sell three tickets: each asks an atomic counter whether one is left and then takes one.
// BUG: kind=check-then-act preemptions=1 threads=4 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

std::atomic<int> left{3};

void sell(int seller) {
  if (seller != 0) step(2 * seller - 1);
  if (left.load() > 0) {
    if (seller == 0) step(0), step(7);
    left.fetch_sub(1);
  }
  if (seller != 0) step(2 * seller);
}

}  // namespace

int main() {
  std::vector<std::thread> sellers;
  for (int i = 0; i < 4; ++i) sellers.emplace_back(sell, i);
  for (std::thread& seller : sellers) seller.join();
  assert(left.load() >= 0);
}
