// A sequence lock whose payload is plain. That a torn copy would be dropped does not help: the first copy is made
// before the writer begins, and nothing orders it before the write, which is non-atomic as it is: a data race
// ([intro.races]), whatever the counts ([atomics.order]) say later.
// RUN: %check %s

#include <atomic>
#include <thread>

struct Position {
  long x;
  long y;
};

Position position;
std::atomic<unsigned> sequence;
std::atomic<bool> copied;

static void moves(long x, long y) {
  unsigned count = sequence.load(std::memory_order_relaxed);
  sequence.store(count + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  position = {x, y};  // RACE: observed position
  sequence.store(count + 2, std::memory_order_release);
}

static long distance() {
  for (;;) {
    unsigned before = sequence.load(std::memory_order_acquire);
    long x = position.x, y = position.y;  // RACE: observed position
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
