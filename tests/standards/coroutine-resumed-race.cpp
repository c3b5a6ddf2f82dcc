// A coroutine hands its handle to another thread in await_suspend, and the thread that suspended it goes on to write
// into the coroutine's promise. The other may have resumed it by then: what comes after the release store is not
// ordered before what the resumed coroutine reads ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <coroutine>
#include <exception>
#include <thread>

struct Task {
  struct promise_type {
    int steps = 0;
    int result = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

std::atomic<void*> waiting{nullptr};

struct ElsewhereAwaiter {
  Task::promise_type* promise = nullptr;
  bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<Task::promise_type> handle) noexcept {
    promise = &handle.promise();
    Task::promise_type* own = promise;
    waiting.store(handle.address(), std::memory_order_release);
    own->steps = 1;  // RACE: observed <coroutine>
  }
  Task::promise_type* await_resume() noexcept { return promise; }
};

static Task count_steps() {
  Task::promise_type* own = co_await ElsewhereAwaiter{};
  own->result = own->steps + 1;  // RACE: observed <coroutine>
}

static void resume_it() {
  void* address;
  while ((address = waiting.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
  std::coroutine_handle<>::from_address(address).resume();
}

int main() {
  std::thread other(resume_it);
  Task task = count_steps();
  other.join();
  int result = task.handle.promise().result;
  task.handle.destroy();
  return result < 1 || result > 2;
}
