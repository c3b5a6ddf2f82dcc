// A write under a shared lock: the cache that is filled on reading.
// RUN: %check %s

#include <shared_mutex>

#include "order.h"

std::shared_mutex mutex;
int cached;

static int get() {
  std::shared_lock lock(mutex);
  if (cached == 0) cached = 7;  // RACE: observed cached
  return cached;                // MAYBE: cached
}

static void first() {
  get();
  end_turn();
}

static void second() {
  await_turn(1);
  get();
}

int main() { run_two(first, second); }
