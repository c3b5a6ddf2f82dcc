// Line 25: a write under a reader lock.
// RUN: %check %s

#include <shared_mutex>

#include "order.h"

std::shared_mutex mutex;
long hits;

static void counts() {
  std::shared_lock lock(mutex);
  hits++;  // RACE: observed hits
}

static void first() {
  counts();
  end_turn();
}

static void second() {
  await_turn(1);
  counts();
}

int main() { run_two(first, second); }
