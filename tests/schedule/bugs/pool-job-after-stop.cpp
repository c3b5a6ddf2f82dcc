// A thread pool stops: its workers end when the queue is empty and the pool stops. A job that is submitted by one who
// has looked at "stops" before is never done, and its promise never kept. After the shutdown races of executors that
// Goetz, "Java Concurrency in Practice" (2006), section 7.1.3, describes.
// BUG: kind=toctou preemptions=1 threads=4 shows=status finding=none
// RUN: %show %s
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

std::mutex mutex;
std::condition_variable changed;
std::atomic<bool> stops{false};
int queued, done;
bool accepted;

void work() {
  std::unique_lock<std::mutex> guard(mutex);
  for (;;) {
    changed.wait(guard, [] { return queued > 0 || stops; });
    if (queued == 0) return;
    --queued;
    ++done;
  }
}

void submit() {
  if (stops) return;
  step(0);
  step(2);
  const std::lock_guard<std::mutex> guard(mutex);
  ++queued;
  accepted = true;
  changed.notify_one();
}

}  // namespace

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) workers.emplace_back(work);
  std::thread submitter(submit);
  step(1);
  {
    const std::lock_guard<std::mutex> guard(mutex);
    stops = true;
  }
  changed.notify_all();
  for (std::thread& worker : workers) worker.join();
  step(2);
  submitter.join();
  return accepted && done == 0 ? 3 : 0;
}
