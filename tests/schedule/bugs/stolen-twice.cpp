// A deque of jobs for one owner and two thieves: the owner takes the last job without asking whether it is being
// stolen.
// BUG: kind=toctou preemptions=1 threads=3 shows=assertion finding=none
// FOUND-BY: pos
// RUN: %show %s
// RUN: %found %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kJobs = 3;
std::atomic<int> top{0}, bottom{kJobs};
std::array<std::atomic<int>, kJobs> done;

void run(int job) { assert(done[job].fetch_add(1) == 0); }

void own() {
  for (;;) {
    int last = bottom.load() - 1;
    bottom.store(last);
    int first = top.load();
    if (last < first) return;
    if (last == first) step(0), step(3);
    run(last);
  }
}

void steal() {
  step(1);
  int first = top.load();
  if (first <= bottom.load() && first < kJobs && top.compare_exchange_strong(first, first + 1)) run(first);
  step(2);
}

}  // namespace

int main() {
  std::thread owner(own), one(steal), other(steal);
  owner.join();
  one.join();
  other.join();
}
