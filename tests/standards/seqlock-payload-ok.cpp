// A sequence lock whose payload is made of relaxed atomics, with fences where Boehm puts them. Atomics never race
// ([intro.races]); the fences order the payload and the counts ([atomics.fences]), so a torn copy is seen and dropped.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

struct Position {
  std::atomic<long> x;
  std::atomic<long> y;
};

Position position;
std::atomic<unsigned> sequence;
std::atomic<bool> copied;

static void moves(long x, long y) {
  unsigned count = sequence.load(std::memory_order_relaxed);
  sequence.store(count + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  position.x.store(x, std::memory_order_relaxed);
  position.y.store(y, std::memory_order_relaxed);
  sequence.store(count + 2, std::memory_order_release);
}

static long distance() {
  for (;;) {
    unsigned before = sequence.load(std::memory_order_acquire);
    long x = position.x.load(std::memory_order_relaxed);
    long y = position.y.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before) return x + y;
  }
}

int main() {
  long seen = -1;
  std::thread reader([&seen] {
    seen = distance();
    copied.store(true, std::memory_order_relaxed);
  });
  std::thread writer([] {
    // Writes when a copy was made; relaxed, so this orders nothing.
    while (!copied.load(std::memory_order_relaxed)) std::this_thread::yield();
    moves(3, 4);
  });
  reader.join();
  writer.join();
  return seen != 0;
}
