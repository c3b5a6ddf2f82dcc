// An exception lets the guard's mutex go.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex mutex;
int x;

static void adds_and_throws() {
  std::lock_guard guard(mutex);
  x++;
  throw 1;
}

static void works() {
  for (int i = 0; i < 50; i++) {
    try {
      adds_and_throws();
    } catch (int) {
    }
  }
}

int main() {
  run_two(works, works);
  return x != 100;
}
