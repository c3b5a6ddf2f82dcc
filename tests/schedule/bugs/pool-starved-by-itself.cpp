// Each of the first jobs of a pool waits for a job that it submits to the same pool: if all workers take first jobs,
// nobody is left.
// After the "thread starvation deadlock" of Goetz, "Java Concurrency in Practice" (2006), section 8.1.1.
// BUG: kind=deadlock preemptions=2 threads=3 shows=hang finding=none
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
int outer = 3, inner, inner_done;  // jobs in the queue; the inner ones come first

void work() {
  std::unique_lock<std::mutex> guard(mutex);
  while (outer + inner > 0) {
    if (inner > 0) {
      --inner;
      ++inner_done;
      changed.notify_all();
      continue;
    }
    --outer;
    guard.unlock();
#ifdef SHOW
    static std::atomic<int> taken{0};
    ++taken;
    while (taken < 3) sched_yield();
#endif
    guard.lock();
    ++inner;
    changed.wait(guard, [] { return inner_done > 0; });
    --inner_done;
  }
}

}  // namespace

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
}
