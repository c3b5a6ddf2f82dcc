// Condition variable: std::condition_variable with a predicate.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <condition_variable>
#include <mutex>

#include "arrival.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;
int x;

static void announces() {
  x = 1;
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
}

static void waits() {
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return ready; });
  }
  x = 2;
}

int main() { meet(waits, announces); }
