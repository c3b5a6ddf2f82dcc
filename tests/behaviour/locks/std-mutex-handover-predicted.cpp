// The lock_guard's scope ends before the access it was meant for.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex mutex;
int x;

static void first() {
  x = 1;  // RACE: predicted x
  {
    std::lock_guard guard(mutex);
  }
  end_turn();
}

static void second() {
  await_turn(1);
  {
    std::lock_guard guard(mutex);
  }
  x = 2;  // RACE: predicted x
}

int main() { run_two(first, second); }
