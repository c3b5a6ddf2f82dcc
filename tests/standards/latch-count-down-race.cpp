// Workers count a latch down before they have written all of their results: count_down synchronizes with the wait that
// it lets through ([thread.latch.class]), but what comes after it does not happen before that.
// RUN: %check %s

#include <latch>
#include <thread>
#include <vector>

constexpr int kWorkers = 3;
std::latch ready(kWorkers);
int results[kWorkers];
int elapsed[kWorkers];

static void work(int number) {
  results[number] = number;
  ready.count_down();
  elapsed[number] = 1;  // RACE: observed elapsed[
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; i++) workers.emplace_back(work, i);
  ready.wait();
  int sum = 0;
  for (int i = 0; i < kWorkers; i++) {
    sum += results[i];
    sum += elapsed[i];  // RACE: observed elapsed[
  }
  for (std::thread& worker : workers) worker.join();
  return sum < 3;
}
