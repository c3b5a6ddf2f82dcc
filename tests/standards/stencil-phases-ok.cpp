// Each worker replaces its cell by the mean of its neighbours', reading in one phase and writing in the next. All that
// comes before an arrival happens before what follows the end of the phase ([thread.barrier.class]).
// NORACE
// RUN: %check %s

#include <barrier>
#include <thread>
#include <vector>

constexpr int kWorkers = 3;
constexpr int kRounds = 3;
long cells[kWorkers] = {300, 600, 900};
std::barrier phase(kWorkers);

static void smooths(int own) {
  for (int round = 0; round < kRounds; round++) {
    long mean = (cells[(own + 1) % kWorkers] + cells[(own + 2) % kWorkers]) / 2;
    phase.arrive_and_wait();
    cells[own] = mean;
    phase.arrive_and_wait();
  }
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; i++) workers.emplace_back(smooths, i);
  for (auto& worker : workers) worker.join();
  long sum = 0;
  for (long cell : cells) sum += cell;
  return sum <= 0;
}
