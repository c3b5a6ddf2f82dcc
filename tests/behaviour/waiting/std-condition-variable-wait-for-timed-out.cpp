// wait_for gave up, and its answer is not looked at.
// RUN: %check %s

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "order.h"

std::mutex mutex;
std::condition_variable changed;
int x;

static void signals() {
  x = 1;  // RACE: observed x
  changed.notify_all();
  end_turn();
}

static void waits() {
  await_turn(1);
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  x = 2;  // RACE: observed x
}

int main() { run_two(signals, waits); }
