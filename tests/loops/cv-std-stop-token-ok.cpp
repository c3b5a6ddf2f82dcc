// Condition variable: std::condition_variable_any, whose wait a stop request would end.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "arrival.h"

std::mutex mutex;
std::condition_variable_any changed;
std::stop_source source;
bool ready;
int x;

static void announces() {
  x = 1;
  std::lock_guard guard(mutex);
  ready = true;
  changed.notify_all();
}

static void waits() {
  bool holds;
  {
    std::unique_lock lock(mutex);
    holds = changed.wait(lock, source.get_token(), [] { return ready; });
  }
  if (holds) x = 2;
}

int main() { meet(waits, announces); }
