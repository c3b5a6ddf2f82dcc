// RUN: %norn-c++ -std=c++20 -O0 %s -o %t && %t 2>&1 | FileCheck %s
// RUN: %norn-c++ -std=c++20 -O2 %s -o %t && %t 2>&1 | FileCheck %s
// RUN: %norn-c++ -std=c++20 -O2 -flto=thin -fuse-ld=lld %s -o %t && %t 2>&1 | FileCheck %s
// Each part of a coroutine is called by who resumes it.
#include <coroutine>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
int shared;
__attribute__((noinline)) void touch(int value) { shared = value; }
__attribute__((noinline)) Task steps() {
  touch(1);
  co_await std::suspend_always{};
  touch(2);
}
int main() {
  // CHECK: write(shared) 4 bytes < touch(int):{{[0-9]+}} < steps():19{{.*}} < main:[[#@LINE+1]]{{$}}
  Task task = steps();
  // CHECK: write(shared) 4 bytes < touch(int):{{[0-9]+}} < steps():21{{.*}} < main:[[#@LINE+1]]{{$}}
  task.handle.resume();
  // CHECK: write(shared) 4 bytes < main:[[#@LINE+1]]{{$}}
  shared = 3;
  task.handle.destroy();
}
