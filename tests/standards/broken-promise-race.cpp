// A thread gives up its promise without setting it, and notes why only then. Who gets the broken_promise is ordered
// after the promise's destruction ([futures.state]), but not after what that thread does next ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <future>
#include <thread>
#include <utility>

int reason;
std::atomic<bool> gone;

static void parses(std::promise<int> result) {
  {
    std::promise<int> mine = std::move(result);
  }
  gone.store(true, std::memory_order_relaxed);
  reason = 7;  // RACE: observed reason
}

int main() {
  std::promise<int> promise;
  std::future<int> result = promise.get_future();
  std::thread parser(parses, std::move(promise));
  int seen = 0;
  // Not before the promise is gone with all that it had; relaxed, so nothing is ordered.
  while (!gone.load(std::memory_order_relaxed)) std::this_thread::yield();
  try {
    result.get();
  } catch (const std::future_error&) {
    seen = reason;  // RACE: observed reason
  }
  parser.join();
  return seen != 0 && seen != 7;
}
