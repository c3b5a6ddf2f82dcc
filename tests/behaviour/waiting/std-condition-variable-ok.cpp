// A waiter with a predicate comes after the signal that woke it.
// NORACE
// RUN: %check %s

#include <condition_variable>
#include <mutex>

#include "order.h"

std::mutex mutex;
std::condition_variable changed;
bool ready;
int x;

static void waits() {
  std::unique_lock lock(mutex);
  end_turn();
  changed.wait(lock, [] { return ready; });
  lock.unlock();
  x++;
}

static void signals() {
  await_turn(1);
  x = 1;
  {
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
  }
}

int main() {
  run_two(waits, signals);
  return x != 2;
}
