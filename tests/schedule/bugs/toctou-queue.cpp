// Three workers ask a queue of two jobs whether it is empty and then pop; each call is locked, the two are not one.
// BUG: kind=toctou preemptions=1 threads=3 shows=exception finding=none
// FOUND-BY: pct
// RUN: %show %s
// RUN: %found %s
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

class Queue {
 public:
  bool empty() {
    std::lock_guard<std::mutex> guard(mutex_);
    return jobs_.empty();
  }
  int pop() {
    std::lock_guard<std::mutex> guard(mutex_);
    if (jobs_.empty()) throw std::out_of_range("pop of an empty queue");
    int job = jobs_.front();
    jobs_.pop_front();
    return job;
  }

 private:
  std::mutex mutex_;
  std::deque<int> jobs_ = {1, 2};
};

Queue queue;

void work(int self) {
  if (self != 0) step(2 * self - 1);
  if (queue.empty()) return;
  if (self == 0) step(0), step(5);
  queue.pop();
  if (self != 0) step(2 * self);
}

}  // namespace

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
}
