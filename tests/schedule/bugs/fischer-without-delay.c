// Fischer's lock: who finds it free writes its name, and has it if the name is still there after a while. Without the
// while, three threads have it at once.
// After the algorithm in Lamport, "A Fast Mutual Exclusion Algorithm" (ACM TOCS 1987), section 1.
// BUG: kind=broken-lock preemptions=2 threads=3 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int owner;
static atomic_int inside;

static void* cross(void* number) {
  const int self = (int)(size_t)number + 1;
  do {
    while (atomic_load(&owner) != 0) sched_yield();
    if (self == 1) step(0), step(3);
    if (self == 2) step(1);
    if (self == 3) after_step(5);
    atomic_store(&owner, self);
  } while (atomic_load(&owner) != self);
  if (self == 2) step(2), step(5);
  assert(atomic_fetch_add(&inside, 1) == 0);
  if (self == 1) step(4), step(6);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&owner, 0);
  return NULL;
}

int main(void) { RUN(cross, cross, cross); }
