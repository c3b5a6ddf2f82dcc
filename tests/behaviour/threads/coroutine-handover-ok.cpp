// A coroutine suspended in one thread is resumed in another, after a join.
// NORACE
// RUN: %check %s

#include <coroutine>
#include <thread>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

int x;

static Task counts(int step) {
  for (int i = 0; i < 3; i++) {
    x += step;
    co_await std::suspend_always{};
  }
}

int main() {
  Task task = counts(2);
  std::thread([&] { task.handle.resume(); }).join();
  std::thread([&] { task.handle.resume(); }).join();
  task.handle.destroy();
  return x != 6;
}
