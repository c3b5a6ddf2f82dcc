// Mutual exclusion of two by Hyman's algorithm: a thread that waited for the other's interest takes the turn without
// asking again.
// After Hyman, "Comments on a Problem in Concurrent Programming Control" (CACM 1966), refuted in Knuth's letter of the
// same year.
// BUG: kind=broken-lock preemptions=2 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int self) {
  atomic_store(&wants[self], 1);
  while (atomic_load(&turn) != self) {
    while (atomic_load(&wants[1 - self])) sched_yield();
    if (self == 1) step(0), step(2);
    atomic_store(&turn, self);
  }
}

static void* cross(void* number) {
  const int self = (int)(size_t)number;
  if (self == 0) step(1);
  enter(self);
  assert(atomic_fetch_add(&inside, 1) == 0);
  if (self == 0) step(2), step(4);
  if (self == 1) step(3);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&wants[self], 0);
  return NULL;
}

int main(void) { RUN(cross, cross); }
