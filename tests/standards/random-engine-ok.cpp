// Each thread has an engine of its own (thread_local), seeded by its number; the distribution is const in use and made
// anew each time. Functions of the library touch only what they are given ([res.on.data.races]).
// NORACE
// RUN: %check %s

#include <random>
#include <thread>

thread_local std::mt19937 engine;
long totals[2];

static void roll(int self) {
  engine.seed(static_cast<unsigned>(self) + 1);
  for (int i = 0; i < 100; i++) totals[self] += std::uniform_int_distribution<int>(1, 6)(engine);
}

int main() {
  std::thread a(roll, 0);
  std::thread b(roll, 1);
  a.join();
  b.join();
  return totals[0] < 100 || totals[0] > 600 || totals[1] < 100 || totals[1] > 600;
}
