// try_lock_for and try_lock_until of a timed mutex.
// NORACE
// RUN: %check %s

#include <chrono>
#include <mutex>

#include "order.h"

using namespace std::chrono_literals;
std::timed_mutex mutex;
int x;

static void for_a_while() {
  for (int i = 0; i < 100; i++) {
    if (!mutex.try_lock_for(60s)) continue;
    x++;
    mutex.unlock();
  }
}

static void until_then() {
  for (int i = 0; i < 100; i++) {
    if (!mutex.try_lock_until(std::chrono::system_clock::now() + 60s)) continue;
    x++;
    mutex.unlock();
  }
}

int main() {
  run_two(for_a_while, until_then);
  return x != 200;
}
