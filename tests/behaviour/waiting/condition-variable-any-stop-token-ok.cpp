// A wait that a stop token ends.
// NORACE
// RUN: %check %s

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "order.h"

std::mutex mutex;
std::condition_variable_any changed;
int x;

int main() {
  std::jthread thread([](std::stop_token stop) {
    std::unique_lock lock(mutex);
    end_turn();
    changed.wait(lock, stop, [] { return false; });
    x++;
  });
  await_turn(1);
  {
    std::lock_guard guard(mutex);
    x = 1;
  }
  thread.request_stop();
  thread.join();
  return x != 2;
}
