// set_value comes before get.
// NORACE
// RUN: %check %s

#include <future>
#include <thread>

int main() {
  int x = 0;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&x, promise = std::move(promise)]() mutable {
    x = 1;
    promise.set_value(41);
  });
  int sum = future.get() + x;
  thread.join();
  return sum != 42;
}
