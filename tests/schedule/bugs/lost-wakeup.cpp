// The flag is atomic, so its setter takes no lock: a signal between the waiter's test and its wait wakes nobody.
// BUG: kind=lost-wakeup preemptions=1 threads=2 shows=hang finding=none
// RUN: %show %s
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

std::mutex mutex;
std::condition_variable changed;
std::atomic<bool> ready{false};

void wait() {
  std::unique_lock<std::mutex> guard(mutex);
  while (!ready.load()) {
    step(0);
    step(3);
    changed.wait(guard);
  }
}

void set() {
  step(1);
  ready.store(true);
  changed.notify_one();
  step(2);
}

}  // namespace

int main() {
  std::thread setter(set), waiter(wait);
  setter.join();
  waiter.join();
}
