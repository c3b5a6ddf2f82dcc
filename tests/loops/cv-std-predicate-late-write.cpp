// Condition variable: std::condition_variable with a predicate; the data is written after the section that announces
// it.
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
  {
    std::lock_guard guard(mutex);
    ready = true;
  }
  x = 1;  // RACE: observed x
  changed.notify_one();
}

static void waits() {
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return ready; });
  }
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
