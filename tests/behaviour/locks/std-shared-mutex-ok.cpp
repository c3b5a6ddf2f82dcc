// A shared mutex: readers share, writers do not.
// NORACE
// RUN: %check %s

#include <mutex>
#include <shared_mutex>

#include "order.h"

std::shared_mutex mutex;
int x;
int seen;

static void writes() {
  for (int i = 0; i < 100; i++) {
    std::unique_lock lock(mutex);
    x++;
  }
}

static void reads() {
  for (int i = 0; i < 100; i++) {
    std::shared_lock lock(mutex);
    if (x > 50) seen++;
  }
}

int main() { run_two(writes, reads); }
