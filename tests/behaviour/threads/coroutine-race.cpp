// A coroutine resumed by two threads, with nothing to order them, races with itself.
// RUN: %check %s

#include <coroutine>

#include "order.h"

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

int x;

static Task writes() {
  x = 1;  // RACE: observed x
  co_return;
}

Task one = writes(), two = writes();

static void first() {
  one.handle.resume();
  end_turn();
}

static void second() {
  await_turn(1);
  two.handle.resume();
}

int main() {
  run_two(first, second);
  one.handle.destroy();
  two.handle.destroy();
}
