// A deferred function runs in the first thread that waits for its result; whoever gets the result, there or elsewhere,
// comes after all that it did ([futures.async], [futures.state]).
// NORACE
// RUN: %check %s

#include <future>
#include <thread>

int steps;
int seen[2];

static int computes() {
  steps = 42;
  return 1;
}

static void uses(std::shared_future<int> result, int self) { seen[self] = result.get() * steps; }

int main() {
  std::shared_future<int> result = std::async(std::launch::deferred, computes).share();
  std::thread a(uses, result, 0);
  std::thread b(uses, result, 1);
  a.join();
  b.join();
  return seen[0] != 42 || seen[1] != 42;
}
