// A thread gives up its promise without setting it, and notes why only then. Who gets the broken_promise is ordered after
// the promise's destruction ([futures.state]), but not after what that thread does next ([intro.races]).
// RUN: %check %s

#include <future>
#include <thread>
#include <utility>

int reason;

static void parses(std::promise<int> result) {
  { std::promise<int> mine = std::move(result); }
  reason = 7;  // RACE: observed reason
}

int main() {
  std::promise<int> promise;
  std::future<int> result = promise.get_future();
  std::thread parser(parses, std::move(promise));
  int seen = 0;
  try {
    result.get();
  } catch (const std::future_error&) {
    seen = reason;  // RACE: observed reason
  }
  parser.join();
  return seen != 0 && seen != 7;
}
