// Nineteen threads set two variables one after the other; a reader may see the first of them alone, but only before any
// writer has come to its end.
// After reorder_20 of SCTBench (Thomson, Donaldson, Betts, "Concurrency Testing Using Schedule Bounding: an Empirical
// Study", PPoPP 2014).
// BUG: kind=atomicity-multi preemptions=1 threads=20 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

enum { kThreads = 20 };
static atomic_int a, b;

static void* set(void* self) {
  (void)self;
  atomic_store(&a, 1);
  step(0);
  after_step(2);
  atomic_store(&b, -1);
  return NULL;
}

static void* check(void* self) {
  (void)self;
  after_step(1);
  const int one = atomic_load(&a), other = atomic_load(&b);
  assert((one == 0 && other == 0) || (one == 1 && other == -1));
  step(1);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, i < kThreads - 1 ? set : check, NULL);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}
