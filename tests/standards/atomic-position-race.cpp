// A position of 24 bytes is an atomic object, and is stored and loaded with relaxed order: the position itself is
// whole, but what was written before it is not ordered with what is read after ([atomics.order], [intro.races]).
// FLAGS: -latomic
// RUN: %check %s

#include <atomic>
#include <thread>

struct Position {
  double x, y, z;
};

std::atomic<Position> position{Position{0, 0, 0}};
int samples;

static void moves() {
  samples = 3;  // RACE: observed samples
  position.store(Position{1, 2, 3}, std::memory_order_relaxed);
}

int main() {
  std::thread sensor(moves);
  while (position.load(std::memory_order_relaxed).x == 0) std::this_thread::yield();
  const int seen = samples;  // RACE: observed samples
  sensor.join();
  return seen != 0 && seen != 3;
}
