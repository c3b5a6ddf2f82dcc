// Each worker replaces its cell by the mean of its neighbours', reading and writing in one phase: a barrier is missing
// between the two. A barrier orders phases, and nothing within one ([thread.barrier.class]): a cell is read by its
// neighbours while its owner writes it ([intro.races]).
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
    long mean = (cells[(own + 1) % kWorkers] + cells[(own + 2) % kWorkers]) / 2;  // RACE: observed cells
    cells[own] = mean;                                                            // RACE: observed cells
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
