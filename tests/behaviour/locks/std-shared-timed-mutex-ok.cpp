// A shared timed mutex, with deadlines on both sides.
// NORACE
// RUN: %check %s

#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "order.h"

using namespace std::chrono_literals;
std::shared_timed_mutex mutex;
int x;
int seen;

static void writes() {
  for (int i = 0; i < 100; i++) {
    std::unique_lock lock(mutex, 60s);
    if (lock) x++;
  }
}

static void reads() {
  for (int i = 0; i < 100; i++) {
    std::shared_lock lock(mutex, std::chrono::steady_clock::now() + 60s);
    if (lock && x > 50) seen++;
  }
}

int main() { run_two(writes, reads); }
