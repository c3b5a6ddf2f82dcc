// The deadline for the exclusive lock passes, and the write happens all the same.
// RUN: %check %s

#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "order.h"

std::shared_timed_mutex mutex;
int x;
int seen;

static void reads() {
  std::shared_lock lock(mutex);
  seen = x;  // RACE: observed x
  end_turn();
  await_turn(2);
}

static void gives_up() {
  await_turn(1);
  std::unique_lock lock(mutex, std::chrono::milliseconds(1));
  x = 1;  // RACE: observed x
  end_turn();
}

int main() { run_two(reads, gives_up); }
