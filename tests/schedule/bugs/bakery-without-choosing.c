// Lamport's bakery without the flag that says "I am choosing my number": a thread that has read the others' numbers and
// not yet written its own is passed over.
// After Lamport, "A New Solution of Dijkstra's Concurrent Programming Problem" (CACM 1974), which has the flag for
// this.
// BUG: kind=broken-lock preemptions=2 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int number[2];
static atomic_int inside;

static void* cross(void* self_number) {
  const int self = (int)(size_t)self_number, other = 1 - self;
  if (self == 1) step(1);
  const int greatest = atomic_load(&number[other]);
  if (self == 0) step(0), step(3);
  atomic_store(&number[self], greatest + 1);
  for (;;) {
    const int its = atomic_load(&number[other]), mine = atomic_load(&number[self]);
    if (its == 0 || its > mine || (its == mine && other > self)) break;
    sched_yield();
  }
  assert(atomic_fetch_add(&inside, 1) == 0);
  if (self == 1) step(2), step(5);
  if (self == 0) step(4);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&number[self], 0);
  return NULL;
}

int main(void) { RUN(cross, cross); }
