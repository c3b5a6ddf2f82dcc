// Condition variable: std::condition_variable_any and a wait with a time limit, whose result is looked at.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "arrival.h"

std::mutex mutex;
std::condition_variable_any changed;
bool ready;
int x;

static void announces() {
  x = 1;
  std::lock_guard guard(mutex);
  ready = true;
  changed.notify_all();
}

static void waits() {
  bool in_time;
  {
    std::unique_lock lock(mutex);
    in_time = changed.wait_for(lock, std::chrono::seconds(60), [] { return ready; });
  }
  if (in_time) x = 2;
}

int main() { meet(waits, announces); }
