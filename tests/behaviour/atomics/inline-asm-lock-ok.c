// A lock made of locked instructions in inline assembly is a lock.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "order.h"

int locked;
int x;

static int exchange(int* place, int value) {
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*place)::"memory");
  return value;
}

static void adds(void) {
  for (int i = 0; i < 100; i++) {
    while (exchange(&locked, 1)) sched_yield();
    x++;
    exchange(&locked, 0);
  }
}

int main(void) {
  run_two(adds, adds);
  return x != 200;
}
