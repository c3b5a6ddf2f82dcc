// A progress bar: the task stores how far it is in a plain variable, and who waits for the future polls it. wait_for
// orders only when it finds the shared state ready ([futures.state]); the look before that is not ordered with the
// task's writes: a data race ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

int progress;
std::atomic<bool> looked;

static long sums_up() {
  long sum = 0;
  for (int step = 1; step <= 4; step++) {
    sum += step;
    progress = step;  // RACE: observed progress
    // Not done before it was looked at once; relaxed, so nothing is ordered.
    while (!looked.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  return sum;
}

int main() {
  std::future<long> result = std::async(std::launch::async, sums_up);
  int shown = 0;
  do {
    shown = progress;  // RACE: observed progress
    looked.store(true, std::memory_order_relaxed);
  } while (result.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready);
  return result.get() != 10 || shown > 4;
}
