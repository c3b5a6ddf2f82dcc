// Five philosophers, each of whom takes the left fork first.
// BUG: kind=deadlock preemptions=4 threads=5 shows=hang finding=deadlock
// RUN: %show %s
#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

constexpr int kPhilosophers = 5;
std::array<std::mutex, kPhilosophers> forks;
std::array<int, kPhilosophers> meals;

void dine(int self) {
  std::lock_guard<std::mutex> left(forks[self]);
  step(self);
  after_step(kPhilosophers);
  std::lock_guard<std::mutex> right(forks[(self + 1) % kPhilosophers]);
  ++meals[self];
}

}  // namespace

int main() {
  std::vector<std::thread> philosophers;
  for (int i = 0; i < kPhilosophers; ++i) philosophers.emplace_back(dine, i);
  for (std::thread& philosopher : philosophers) philosopher.join();
}
