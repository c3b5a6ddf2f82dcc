// An exception goes through a future from one thread to the other.
// NORACE
// STDOUT: lost
// RUN: %check %s

#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
  int x = 0;
  std::promise<int> promise;
  std::thread thread([&] {
    x = 1;
    promise.set_exception(std::make_exception_ptr(std::runtime_error("lost")));
  });
  try {
    promise.get_future().get();
  } catch (const std::runtime_error& error) {
    x++;
    std::puts(error.what());
  }
  thread.join();
  return x != 2;
}
