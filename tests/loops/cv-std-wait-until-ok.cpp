// Condition variable: std::condition_variable, a wait until a point in time, in a loop that only the condition ends.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "arrival.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;
int x;

static void announces() {
  x = 1;
  std::lock_guard guard(mutex);
  ready = true;
  changed.notify_all();
}

static void waits() {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  {
    std::unique_lock lock(mutex);
    while (!ready) changed.wait_until(lock, limit);
  }
  x = 2;
}

int main() { meet(waits, announces); }
