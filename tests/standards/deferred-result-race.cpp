// A deferred function runs in the first thread that waits for its result. A thread that only asks by wait_for learns
// that it is deferred, which orders nothing ([futures.shared.future]), and looks at what the function writes
// ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

int steps;
std::atomic<bool> looked;

static int computes() {
  steps = 42;  // RACE: observed steps
  return 1;
}

static void asks(std::shared_future<int> result, int* seen) {
  if (result.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) *seen = steps;  // RACE: observed steps
  looked.store(true, std::memory_order_relaxed);
}

static void uses(std::shared_future<int> result, int* seen) {
  // Not before the other has asked; relaxed, so nothing is ordered.
  while (!looked.load(std::memory_order_relaxed)) std::this_thread::yield();
  *seen = result.get();
}

int main() {
  std::shared_future<int> result = std::async(std::launch::deferred, computes).share();
  int shown = 0, got = 0;
  // Who asks is the last to be given a copy: counting the copies would order what it does before those that come later.
  std::thread b(uses, result, &got);
  std::thread a(asks, result, &shown);
  a.join();
  b.join();
  return got != 1 || shown > 42;
}
