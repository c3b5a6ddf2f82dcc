// Two threads add to a total without a lock; main asserts what it must be.
#include "threads.h"

static volatile int total;

static void* adds(void* unused) {
  // RACE read write: spec-violated assertion: an update is lost
  int now = total;  // @read
  sched_yield();
  // RACE write write: spec-violated assertion: the later write of one number loses the other's
  total = now + 1;  // @write
  return unused;
}

static void* adds_later(void* unused) {
  later();
  return adds(unused);
}

int main(void) {
  run_both(adds, adds_later);
  assert(total == 2);
  printf("2\n");
}
