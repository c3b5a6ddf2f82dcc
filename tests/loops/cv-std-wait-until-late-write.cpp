// Condition variable: std::condition_variable, a wait until a point in time; the data is
// written after the announcement.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "arrival.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;
int x;

static void announces() {
  {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_all();
  }
  x = 1;  // RACE: observed x
}

static void waits() {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  {
    std::unique_lock lock(mutex);
    while (!ready) changed.wait_until(lock, limit);
  }
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
