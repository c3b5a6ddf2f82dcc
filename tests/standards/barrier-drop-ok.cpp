// Workers go through phases with a std::barrier, and one has nothing more to do after the first: it leaves by
// arrive_and_drop, and those who stay go on without it. Its arrival is before the end of the phase
// ([thread.barrier.class], "strongly happens before the phase completion step"), so they see what it did.
// NORACE
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
      return;
    }
    barrier.arrive_and_wait();
    for (int part : parts) sums[static_cast<std::size_t>(self)] += part;
    barrier.arrive_and_wait();
    parts[static_cast<std::size_t>(self)] = 0;
  };
  std::vector<std::thread> workers;
  for (int self = 0; self < kWorkers; self++) workers.emplace_back(work, self);
  for (std::thread& worker : workers) worker.join();
  return sums[1] != 6 || sums[2] != 6;
}
