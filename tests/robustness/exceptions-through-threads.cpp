// Exceptions in all threads at once, through destructors, rethrown and nested.
// STDOUT: 400
// RUN: %check %s

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "order.h"

int x;
thread_local int unwound;
int counts[2];

struct Unwound {
  ~Unwound() { unwound++; }
};

static void dives(int depth) {
  Unwound here;
  if (depth == 0) throw std::runtime_error("bottom");
  dives(depth - 1);
}

static int throws() {
  for (int i = 0; i < 20; i++) {
    try {
      try {
        dives(4);
      } catch (...) {
        std::throw_with_nested(std::logic_error("outer"));
      }
    } catch (const std::exception& outer) {
      try {
        std::rethrow_if_nested(outer);
      } catch (const std::runtime_error&) {
        unwound += 5;
      }
    }
  }
  return unwound;
}

static void first() {
  counts[0] = throws();
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  counts[1] = throws();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() {
  run_two(first, second);
  std::printf("%d\n", counts[0] + counts[1]);
}
