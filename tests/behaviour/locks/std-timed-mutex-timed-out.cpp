// try_lock_for gave up, and its answer is not looked at.
// RUN: %check %s

#include <chrono>
#include <mutex>

#include "order.h"

std::timed_mutex mutex;
int x;

static void holds() {
  std::lock_guard guard(mutex);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
}

static void gives_up() {
  await_turn(1);
  (void)mutex.try_lock_for(std::chrono::milliseconds(1));
  x = 2;  // RACE: observed x
  end_turn();
}

int main() { run_two(holds, gives_up); }
