// wait_for and wait_until, on both clocks.
// NORACE
// UNORDERED: race x: the waits may time out
// RUN: %check %s

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "order.h"

using namespace std::chrono_literals;
std::mutex mutex;
std::condition_variable changed;
int stage;
int x;

static void waits() {
  std::unique_lock lock(mutex);
  end_turn();
  changed.wait_for(lock, 60s, [] { return stage == 1; });
  x++;
  stage = 2;
  changed.notify_one();
  changed.wait_until(lock, std::chrono::system_clock::now() + 60s, [] { return stage == 3; });
  lock.unlock();
  x++;
}

static void signals() {
  await_turn(1);
  x = 1;
  std::unique_lock lock(mutex);
  stage = 1;
  changed.notify_one();
  changed.wait_until(lock, std::chrono::steady_clock::now() + 60s, [] { return stage == 2; });
  x++;
  stage = 3;
  changed.notify_one();
}

int main() {
  run_two(waits, signals);
  return x != 4;
}
