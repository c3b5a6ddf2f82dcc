// Home-made sequence lock with atomics as C++ wants it (Boehm, MSPC 2012): several writes, readers meanwhile.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <atomic>

#include "arrival.h"

std::atomic<unsigned> sequence;
std::atomic<int> a, b;
int torn;

static void writes() {
  for (int i = 1; i <= 10; ++i) {
    const unsigned now = sequence.load(std::memory_order_relaxed);
    sequence.store(now + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    a.store(i, std::memory_order_relaxed);
    b.store(i, std::memory_order_relaxed);
    sequence.store(now + 2, std::memory_order_release);
  }
}

static void reads() {
  for (int i = 0; i < 10; ++i) {
    unsigned before, after;
    int x, y;
    do {
      before = sequence.load(std::memory_order_acquire);
      x = a.load(std::memory_order_relaxed);
      y = b.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      after = sequence.load(std::memory_order_relaxed);
    } while (before != after || (before & 1));
    if (x != y) torn++;
  }
}

int main() {
  run_two(writes, reads);
  return torn;
}
