// A deferred unique_lock that nobody locked.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex mutex;
int x;

static void locks() {
  std::lock_guard guard(mutex);
  x = 1;  // RACE: observed x
  end_turn();
}

static void forgets() {
  await_turn(1);
  std::unique_lock lock(mutex, std::defer_lock);
  x = 2;  // RACE: observed x
}

int main() { run_two(locks, forgets); }
