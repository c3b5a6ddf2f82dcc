// Jobs count themselves into a wait group when they begin: who waits may look before the last of them has begun.
// After Tu and others, "Understanding Real-World Concurrency Bugs in Go" (ASPLOS 2019), section 6.1, misuse of
// WaitGroup.
// BUG: kind=order preemptions=0 threads=8 shows=status finding=none
// RUN: %show %s
#include <atomic>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

constexpr int kJobs = 8;
std::atomic<int> group{0}, done{0};

void job(int self) {
  if (self == kJobs - 1) step(1);
  group.fetch_add(1);
  done.fetch_add(1);
  if (group.fetch_sub(1) == 1) group.notify_all();
}

}  // namespace

int main() {
  std::vector<std::thread> jobs;
  for (int i = 0; i < kJobs; ++i) jobs.emplace_back(job, i);
#ifndef SHOW
  compute();
#endif
  for (int left = group.load(); left != 0; left = group.load()) group.wait(left);
  const int seen = done.load();
  step(0);
  for (std::thread& thread : jobs) thread.join();
  return seen == kJobs ? 0 : 3;
}
