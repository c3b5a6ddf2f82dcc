// A detached thread gives its result by set_value. The future is ready at once, before the thread's objects of thread
// storage duration are destroyed; what their destructors write is not ordered with who got the result
// ([futures.promise], [basic.start.term]).
// RUN: %check %s

#include <atomic>
#include <future>
#include <thread>
#include <utility>

int calls_of_all;
std::atomic<bool> has_counted = false;

struct CallCounter {
  int calls = 0;
  ~CallCounter() {
    calls_of_all += calls;  // RACE: observed calls_of_all
    has_counted.store(true, std::memory_order_relaxed);
  }
};

thread_local CallCounter counter;

static int compute(int number) {
  counter.calls++;
  return number * number;
}

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable { promise.set_value(compute(6) + compute(7)); }).detach();
  int result = future.get();
  // The destructor comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!has_counted.load(std::memory_order_relaxed)) std::this_thread::yield();
  int calls = calls_of_all;  // RACE: observed calls_of_all
  return result != 85 || calls != 2;
}
