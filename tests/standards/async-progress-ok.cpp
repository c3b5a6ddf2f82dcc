// A progress bar: the task stores how far it is in an atomic, and who waits for the future polls it. Atomic operations
// do not race, whatever their order ([intro.races], [atomics.order]); the result is ordered by the shared state, which
// becomes ready before get returns ([futures.state]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

std::atomic<int> progress;
std::atomic<bool> looked;

static long sums_up() {
  long sum = 0;
  for (int step = 1; step <= 4; step++) {
    sum += step;
    progress = step;
    // Not done before it was looked at once; relaxed, so nothing is ordered.
    while (!looked.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  return sum;
}

int main() {
  std::future<long> result = std::async(std::launch::async, sums_up);
  int shown = 0;
  do {
    shown = progress;
    looked.store(true, std::memory_order_relaxed);
  } while (result.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready);
  return result.get() != 10 || shown > 4;
}
