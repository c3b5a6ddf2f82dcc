// std::condition_variable with and without a predicate, with a time limit, and condition_variable_any; all signalled
// before anybody waits.
//
// NORACE
// UNORDERED: race z: the wait may time out
// UNORDERED: race u: the wait may time out
//
// RUN: %check-loops %s

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "order.h"

std::mutex mutex;
std::condition_variable changed, changed_too, changed_for, changed_until;
std::condition_variable_any any;
bool ready, ready_too, ready_for, ready_until, ready_any;
int x, y, z, u, v;

static void signals() {
  const auto set = [](bool& flag, auto& condition, int& data) {
    data = 1;
    const std::lock_guard<std::mutex> lock(mutex);
    flag = true;
    condition.notify_one();
  };
  set(ready, changed, x);
  set(ready_too, changed_too, y);
  set(ready_for, changed_for, z);
  set(ready_until, changed_until, u);
  set(ready_any, any, v);
  end_turn();
}

static void comes_late() {
  await_turn(1);
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!ready) changed.wait(lock);
  }
  x = 2;
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed_too.wait(lock, [] { return ready_too; });
  }
  y = 2;
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed_for.wait_for(lock, std::chrono::hours(1), [] { return ready_for; });
  }
  z = 2;
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed_until.wait_until(lock, std::chrono::system_clock::now() + std::chrono::hours(1),
                             [] { return ready_until; });
  }
  u = 2;
  {
    std::unique_lock<std::mutex> lock(mutex);
    any.wait(lock, [] { return ready_any; });
  }
  v = 2;
}

int main() { run_two(signals, comes_late); }
