// Two threads draw from one engine. Drawing changes its state, and nothing in the library protects an object that two
// threads share ([res.on.data.races], [rand.req.eng]: e() advances e's state).
// RUN: %check %s

#include <random>
#include <thread>

std::minstd_rand engine(1);
long totals[2];

static void roll(int self) {
  for (int i = 0; i < 100; i++) totals[self] += static_cast<long>(engine() % 6) + 1;  // RACE: observed <engine>
}

int main() {
  std::thread a(roll, 0);
  std::thread b(roll, 1);
  a.join();
  b.join();
  return totals[0] < 100 || totals[0] > 600 || totals[1] < 100 || totals[1] > 600;
}
