// The old builtins: lock_test_and_set acquires, lock_release releases.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "order.h"

int locked;
int x;

static void adds() {
  for (int i = 0; i < 100; i++) {
    while (__sync_lock_test_and_set(&locked, 1)) sched_yield();
    x++;
    __sync_lock_release(&locked);
  }
}

int main() {
  run_two(adds, adds);
  return x != 200;
}
