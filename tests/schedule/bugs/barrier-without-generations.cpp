// A barrier that is used twice: a fast thread enters the second round before a slow one has seen the end of the first.
// BUG: kind=broken-barrier preemptions=1 threads=3 shows=hang finding=none
// RUN: %show %s
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

constexpr int kThreads = 3;

class Barrier {
 public:
  void arrive_and_wait(int self) {
    std::unique_lock<std::mutex> guard(mutex_);
    if (++arrived_ == kThreads) {
      arrived_ = 0;
      changed_.notify_all();
      return;
    }
    while (arrived_ != 0) {
      if (self == 0) {
        wait_in_steps(changed_.native_handle(), mutex_.native_handle(), 0, 3);
      } else {
        changed_.wait(guard);
      }
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
};

Barrier barrier;

void work(int self) {
  if (self != 0) after_step(1);
  barrier.arrive_and_wait(self);
  if (self == 1) step(1);
  compute();
  barrier.arrive_and_wait(self);
}

}  // namespace

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < kThreads; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
}
