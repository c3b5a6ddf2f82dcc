// Whoever of three answers first keeps the promise; test and set of the flag are two atomic operations.
// BUG: kind=check-then-act preemptions=1 threads=3 shows=exception finding=none
// RUN: %show %s
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

std::promise<int> promise;
std::atomic<bool> answered{false};

void answer(int self) {
  if (self == 1) step(1);
  if (self == 2) after_step(4);
  if (answered.load()) return;
  if (self == 0) step(0), step(3);
  answered.store(true);
  promise.set_value(self);
  if (self == 1) step(2);
}

}  // namespace

int main() {
  std::vector<std::thread> sources;
  for (int i = 0; i < 3; ++i) sources.emplace_back(answer, i);
  for (std::thread& source : sources) source.join();
  return promise.get_future().get() >= 0 ? 0 : 3;
}
