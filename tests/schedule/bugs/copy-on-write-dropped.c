// A write to a private page copies it, and then looks the page up once more without asking for a writable one. If the
// copy was dropped in between, the write goes to the original.
// After the Linux kernel's CVE-2016-5195 ("Dirty COW").
// BUG: kind=toctou preemptions=1 threads=2 shows=status finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int original = 1, copy;
static _Atomic(atomic_int*) mapped = &original;

static void* write_page(void* self) {
  (void)self;
  if (atomic_load(&mapped) == &original) {
    atomic_store(&copy, atomic_load(&original));
    atomic_store(&mapped, &copy);
  }
  step(0);
  step(3);
  atomic_store(atomic_load(&mapped), 2);
  return NULL;
}

static void* do_not_need(void* self) {
  (void)self;
  step(1);
  if (atomic_load(&mapped) == &copy) atomic_store(&mapped, &original);
  step(2);
  return NULL;
}

int main(void) {
  RUN(do_not_need, write_page);
  return original == 1 ? 0 : 3;
}
