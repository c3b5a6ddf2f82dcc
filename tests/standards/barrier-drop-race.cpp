// Workers go through phases with a std::barrier, and one leaves by arrive_and_drop after the first. It cleans up behind
// its call, when the others may already be past the phase and read: nothing orders what comes after its arrival
// ([thread.barrier.class], [intro.races]).
// RUN: %check %s

#include <array>
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

constexpr int kWorkers = 3;
std::array<int, kWorkers> parts;
std::array<int, kWorkers> sums;

int main() {
  std::barrier barrier(kWorkers);
  auto work = [&](int self) {
    parts[static_cast<std::size_t>(self)] = self + 1;
    if (self == 0) {
      barrier.arrive_and_drop();
      parts[0] = 0;  // RACE: observed parts
      return;
    }
    barrier.arrive_and_wait();
    for (int part : parts) sums[static_cast<std::size_t>(self)] += part;  // RACE: observed parts
  };
  std::vector<std::thread> workers;
  for (int self = 0; self < kWorkers; self++) workers.emplace_back(work, self);
  for (std::thread& worker : workers) worker.join();
  return sums[1] < 5 || sums[2] < 5;
}
