// Line 1: stand-alone fences. A queue of one producer and one consumer, and a sequence lock, both with fences.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

#include "order.h"

enum { kItems = 200, kSlots = 8 };
int slots[kSlots];
std::atomic<unsigned> head, tail;
long sum;

static void produces() {
  for (unsigned i = 0; i < kItems; i++) {
    while (i - head.load(std::memory_order_relaxed) == kSlots) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    slots[i % kSlots] = static_cast<int>(i);
    std::atomic_thread_fence(std::memory_order_release);
    tail.store(i + 1, std::memory_order_relaxed);
  }
}

static void consumes() {
  for (unsigned i = 0; i < kItems; i++) {
    while (tail.load(std::memory_order_relaxed) == i) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    sum += slots[i % kSlots];
    std::atomic_thread_fence(std::memory_order_release);
    head.store(i + 1, std::memory_order_relaxed);
  }
}

std::atomic<unsigned> sequence;
std::atomic<int> left, right;
int torn;

static void writes() {
  for (int i = 1; i <= 100; i++) {
    unsigned begun = sequence.load(std::memory_order_relaxed);
    sequence.store(begun + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    left.store(i, std::memory_order_relaxed);
    right.store(i, std::memory_order_relaxed);
    sequence.store(begun + 2, std::memory_order_release);
  }
}

static void reads() {
  for (int i = 0; i < 100; i++) {
    unsigned begun = sequence.load(std::memory_order_acquire);
    int a = left.load(std::memory_order_relaxed);
    int b = right.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (begun % 2 == 0 && sequence.load(std::memory_order_relaxed) == begun && a != b) torn++;
  }
}

int main() {
  run_two(produces, consumes);
  run_two(writes, reads);
  return sum != kItems * (kItems - 1) / 2 || torn != 0;
}
