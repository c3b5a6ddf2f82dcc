// Home-made lock: test-and-set, given up by a plain store. The program means it so, and nothing else could be meant.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int taken;
int x;

static void work(void) {
  for (int i = 0; i < 20; ++i) {
    while (__sync_lock_test_and_set(&taken, 1)) __builtin_ia32_pause();
    x++;
    taken = 0;
  }
}

int main(void) { run_two(work, work); }
