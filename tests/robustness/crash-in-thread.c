// A thread crashes while others run.
// SIGNAL: SIGILL
// RUN: %check %s

#include <sys/resource.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  for (;;) pause();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  __builtin_trap();
}

int main(void) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
}
