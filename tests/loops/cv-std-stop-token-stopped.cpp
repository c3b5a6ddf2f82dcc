// Condition variable: std::condition_variable_any, whose wait a stop request ends: who goes on then has not waited for
// the condition.
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
  source.request_stop();
  x = 1;  // RACE: observed x
}

static void waits() {
  bool holds;
  {
    std::unique_lock lock(mutex);
    holds = changed.wait(lock, source.get_token(), [] { return ready; });
  }
  if (!holds) x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
