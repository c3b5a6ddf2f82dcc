// Each side takes two mutexes, none of them the other's.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex a, b, c, d;
int x;

static void first() {
  std::scoped_lock lock(a, b);
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  await_turn(1);
  std::scoped_lock lock(c, d);
  x = 2;  // RACE: observed x
}

int main() { run_two(first, second); }
