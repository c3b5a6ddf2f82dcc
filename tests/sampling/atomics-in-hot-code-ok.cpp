// Atomics in code that runs hot count for what they order alone: counts of owners, a lock of one's own whose memory
// orders are too weak for what its loop waits for, messages in a ring that many stores replace, and fences.
// STDOUT: 2000 2000 1000 1000
// NORACE

#include <atomic>
#include <cstdio>
#include <thread>

#include "together.h"

namespace {

constexpr int kRounds = 1000;

struct Shared {
  std::atomic<int> owners{2};
  int value = 0;
};

std::atomic<Shared*> left[64];
std::atomic<long> seen;

void give_up(Shared* shared) {
  if (shared->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  seen.fetch_add(shared->value, std::memory_order_relaxed);
  delete shared;
}

// Each object has two owners, who write to it before they give it up in turn; the last one reads and deletes it.
void own_first() {
  for (int i = 0; i < kRounds; ++i) {
    auto* shared = new Shared;
    shared->value = 2;
    std::atomic<Shared*>& place = left[i % 64];
    while (place.load(std::memory_order_relaxed) != nullptr) std::this_thread::yield();
    place.store(shared, std::memory_order_release);
    give_up(shared);
  }
}

void own_second() {
  for (int i = 0; i < kRounds; ++i) {
    std::atomic<Shared*>& place = left[i % 64];
    Shared* shared = nullptr;
    while ((shared = place.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    place.store(nullptr, std::memory_order_relaxed);
    give_up(shared);
  }
}

int taken;
long counted;

void count() {
  for (int i = 0; i < kRounds; ++i) {
    int expected = 0;
    while (!__atomic_compare_exchange_n(&taken, &expected, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      expected = 0;
      std::this_thread::yield();
    }
    ++counted;
    __atomic_store_n(&taken, 0, __ATOMIC_RELAXED);
  }
}

struct Cell {
  std::atomic<int> turn{0};
  long value = 0;
};
Cell ring[8];
long received;

void send() {
  for (int i = 0; i < kRounds; ++i) {
    Cell& cell = ring[i % 8];
    while (cell.turn.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    cell.value = 1;
    cell.turn.store(1, std::memory_order_release);
  }
}

void receive() {
  for (int i = 0; i < kRounds; ++i) {
    Cell& cell = ring[i % 8];
    while (cell.turn.load(std::memory_order_acquire) != 1) std::this_thread::yield();
    received += cell.value;
    cell.turn.store(0, std::memory_order_release);
  }
}

std::atomic<int> whose;
long fenced;

void pass(int self) {
  for (int i = 0; i < kRounds / 2; ++i) {
    while (whose.load(std::memory_order_relaxed) != self) std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    ++fenced;
    std::atomic_thread_fence(std::memory_order_release);
    whose.store(1 - self, std::memory_order_relaxed);
  }
}

}  // namespace

int main() {
  together(own_first, own_second);
  together(count, count);
  together(send, receive);
  together([] { pass(0); }, [] { pass(1); });
  std::printf("%ld %ld %ld %ld\n", seen.load(), counted, received, fenced);
}
