// Home-made sequence lock whose payload is plain, and only compared: the atomic is the flag, and the rest is data.
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include <atomic>

#include "arrival.h"

std::atomic<unsigned> sequence;
int a, b;

static void writes() {
  const unsigned now = sequence.load(std::memory_order_relaxed);
  sequence.store(now + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  a = 2;  // RACE: observed a
  b = 2;  // RACE: observed b
  sequence.store(now + 2, std::memory_order_release);
}

static int read() {
  for (;;) {
    const unsigned before = sequence.load(std::memory_order_acquire);
    if ((before & 1) != 0) continue;
    const int first = a;   // RACE: observed a
    const int second = b;  // RACE: observed b
    std::atomic_thread_fence(std::memory_order_acquire);
    if (sequence.load(std::memory_order_relaxed) == before) return first + second;
  }
}

static void reads() {
  int last = 0;
  while (last < 4) {
    last = read();
    sched_yield();
  }
}

int main() { meet(reads, writes); }
