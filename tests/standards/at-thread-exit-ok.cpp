// A detached thread gives its result by set_value_at_thread_exit: the future is ready only when the thread's objects of
// thread storage duration are gone ([futures.promise]), so what their destructors wrote can be read after get().
// NORACE
// RUN: %check %s

#include <future>
#include <thread>
#include <utility>

int calls_of_all;

struct CallCounter {
  int calls = 0;
  ~CallCounter() { calls_of_all += calls; }
};

thread_local CallCounter counter;

static int compute(int number) {
  counter.calls++;
  return number * number;
}

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable {
    promise.set_value_at_thread_exit(compute(6) + compute(7));
  }).detach();
  int result = future.get();
  return result != 85 || calls_of_all != 2;
}
