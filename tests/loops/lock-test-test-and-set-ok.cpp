// Home-made lock: looks before it tries (test-and-test-and-set), with an acquire only where it counts.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <atomic>

#include "arrival.h"

class Lock {
 public:
  void lock() {
    for (;;) {
      while (taken_.load(std::memory_order_relaxed)) __builtin_ia32_pause();
      if (!taken_.exchange(true, std::memory_order_acquire)) return;
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

Lock lock;
int x;

static void work() {
  for (int i = 0; i < 20; ++i) {
    lock.lock();
    x++;
    lock.unlock();
  }
}

int main() { run_two(work, work); }
