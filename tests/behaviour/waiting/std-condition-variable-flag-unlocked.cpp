// The flag of a condition variable is set without the mutex.
// RUN: %check %s

#include <condition_variable>
#include <mutex>

#include "order.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;

static void signals() {
  ready = true;  // RACE: observed ready
  changed.notify_one();
  end_turn();
}

static void waits() {
  await_turn(1);
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return ready; });  // RACE: observed ready
}

int main() { run_two(signals, waits); }
