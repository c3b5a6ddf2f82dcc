// A crash loses nothing that was found before it.
// SIGNAL: SIGSEGV
// RUN: %check %s

#include <sys/resource.h>

#include "order.h"

int x;
int* volatile nowhere;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  run_two(first, second);
  *nowhere = 1;
}
