// A thread gives up: it notes why and ends without setting its promise. That abandons the shared state, which stores a
// broken_promise there and makes it ready ([futures.state]); what was done before is visible to who gets the error.
// NORACE
// RUN: %check %s

#include <future>
#include <thread>
#include <utility>

int reason;

static void parses(std::promise<int> result) {
  std::promise<int> mine = std::move(result);
  reason = 7;
}

int main() {
  std::promise<int> promise;
  std::future<int> result = promise.get_future();
  std::thread parser(parses, std::move(promise));
  int seen = 0;
  try {
    result.get();
  } catch (const std::future_error&) {
    seen = reason;
  }
  parser.join();
  return seen != 7;
}
