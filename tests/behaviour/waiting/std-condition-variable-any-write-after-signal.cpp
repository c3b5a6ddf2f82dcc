// What is written after notify_all and the unlock is not ordered before the waiter.
// RUN: %check %s

#include <condition_variable>
#include <mutex>

#include "order.h"

std::mutex mutex;
std::condition_variable_any changed;
bool ready;
int x;

static void waits() {
  {
    std::unique_lock lock(mutex);
    end_turn();
    changed.wait(lock, [] { return ready; });
  }
  await_turn(2);
  x = 2;  // RACE: observed x
}

static void signals() {
  await_turn(1);
  {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_all();
  }
  x = 1;  // RACE: observed x
  end_turn();
}

int main() { run_two(waits, signals); }
