// An exception that nobody catches ends the program as ever.
// SIGNAL: SIGABRT
// RUN: %check %s

#include <sys/resource.h>

#include <stdexcept>

#include "order.h"

int x;

static void first() {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() {
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
  throw std::runtime_error("nobody catches this");
}
