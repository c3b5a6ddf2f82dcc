// A length is checked and then read once more from memory that another thread may change.
// After the double fetches of Jurczyk and Coldwind, "Identifying and Exploiting Windows Kernel Race Conditions via
// Memory Access Patterns" (2013).
// BUG: kind=toctou preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

enum { kRoom = 8 };
static atomic_int length = 4;

static void* call(void* self) {
  (void)self;
  if (atomic_load(&length) > kRoom) return NULL;
  step(0);
  step(3);
  const int copied = atomic_load(&length);
  assert(copied <= kRoom);
  return NULL;
}

static void* change(void* self) {
  (void)self;
  step(1);
  atomic_store(&length, 400);
  step(2);
  return NULL;
}

int main(void) { RUN(call, change); }
