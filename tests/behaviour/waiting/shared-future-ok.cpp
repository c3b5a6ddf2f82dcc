// Several threads get one shared future.
// NORACE
// RUN: %check %s

#include <future>
#include <thread>

int x;

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  int sums[2];
  std::thread a([future, &sums] { sums[0] = future.get() + x; });
  std::thread b([future, &sums] { sums[1] = future.get() + x; });
  x = 1;
  promise.set_value(2);
  a.join();
  b.join();
  return sums[0] + sums[1] != 6;
}
