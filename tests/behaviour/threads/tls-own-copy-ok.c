// Each thread has its own copy of a thread-local variable.
// NORACE
// RUN: %check %s

#include "order.h"

_Thread_local int x;

static void adds(void) {
  for (int i = 0; i < 100; i++) {
    x++;
    end_turn();
  }
}

int main(void) {
  run_two(adds, adds);
  return x != 0;
}
