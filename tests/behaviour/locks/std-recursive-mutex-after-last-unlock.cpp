// The access comes after the last unlock of a recursive mutex.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::recursive_mutex mutex;
int x;

static void first() {
  mutex.lock();
  mutex.lock();
  mutex.unlock();
  mutex.unlock();
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  await_turn(1);
  std::lock_guard guard(mutex);
  x = 2;  // RACE: observed x
}

int main() { run_two(first, second); }
