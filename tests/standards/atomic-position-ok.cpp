// A position of 24 bytes is an atomic object, which no instruction loads at once: the implementation locks for it, out
// of the program's sight. A load with acquire order that sees what was stored with release order synchronizes with it
// ([atomics.order]), whatever the size.
// FLAGS: -latomic
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

struct Position {
  double x, y, z;
};

std::atomic<Position> position{Position{0, 0, 0}};
int samples;

static void moves() {
  samples = 3;
  position.store(Position{1, 2, 3}, std::memory_order_release);
}

int main() {
  std::thread sensor(moves);
  while (position.load(std::memory_order_acquire).x == 0) std::this_thread::yield();
  const int seen = samples;
  sensor.join();
  return seen != 3;
}
