// Two threads give up a cache entry: each decrements the count, and looks in a second step whether it is zero. Both see
// zero, and both free it.
// After Apache bug 21287, mod_mem_cache, in Lu and others, "AVIO" (ASPLOS 2006).
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int references = 2, frees;

static void* give_up(void* self) {
  if (self != NULL) step(1);
  atomic_fetch_sub(&references, 1);
  if (self == NULL) step(0), step(3);
  if (atomic_load(&references) == 0) assert(atomic_fetch_add(&frees, 1) == 0);
  if (self != NULL) step(2);
  return NULL;
}

int main(void) { RUN(give_up, give_up); }
