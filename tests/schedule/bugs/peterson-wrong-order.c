// Peterson's algorithm with its first two lines exchanged: both threads are let in.
// BUG: kind=broken-lock preemptions=2 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int interested[2], turn, inside;

static void* enter(void* number) {
  int self = (int)(size_t)number, other = 1 - self;
  if (self == 1) step(1);
  atomic_store(&turn, other);
  if (self == 0) step(0), step(3);
  atomic_store(&interested[self], 1);
  while (atomic_load(&interested[other]) && atomic_load(&turn) == other) sched_yield();
  assert(atomic_fetch_add(&inside, 1) == 0);
  if (self == 1) step(2), after_step(5);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&interested[self], 0);
  return NULL;
}

int main(void) { RUN(enter, enter); }
