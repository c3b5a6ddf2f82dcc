// A recursive mutex, plain and timed, taken twice by one thread.
// NORACE
// RUN: %check %s

#include <chrono>
#include <mutex>

#include "order.h"

std::recursive_mutex plain;
std::recursive_timed_mutex timed;
int x, y;

static void add() {
  std::lock_guard guard(plain);
  x++;
}

static void adds() {
  for (int i = 0; i < 100; i++) {
    std::lock_guard guard(plain);
    add();
    x++;
    if (!timed.try_lock_for(std::chrono::minutes(1))) continue;
    timed.lock();
    timed.unlock();
    y++;
    timed.unlock();
  }
}

int main() {
  run_two(adds, adds);
  return x != 400 || y != 200;
}
