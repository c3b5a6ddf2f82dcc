// std::mutex by lock_guard and by unique_lock, let go and taken again.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex mutex;
int x;

static void guards() {
  for (int i = 0; i < 100; i++) {
    std::lock_guard guard(mutex);
    x++;
  }
}

static void relocks() {
  for (int i = 0; i < 100; i++) {
    std::unique_lock lock(mutex);
    x++;
    lock.unlock();
    lock.lock();
    x++;
  }
}

int main() {
  run_two(guards, relocks);
  return x != 300;
}
