// Condition variable: a wait with a time limit, whose result nobody looks at, and the time is over.
// RUN: %check %s --levels=-O0,-O2

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "arrival.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;
int x;

static void waits() {
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::milliseconds(1), [] { return ready; });
  }
  x = 2;  // RACE: observed x
  end_turn();
}

static void announces() {
  await_turn(1);
  x = 1;  // RACE: observed x
  std::lock_guard guard(mutex);
  ready = true;
  changed.notify_all();
}

int main() { run_two(waits, announces); }
