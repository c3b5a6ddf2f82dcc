// Two numbers that must be the same are written one after the other, and compared in between.
#include "threads.h"

static volatile int low, high;

static void* writes(void* unused) {
  // RACE low lowread: spec-violated assertion: the reader may see the new one of these and the old one of the others
  low = 1;  // @low
  sched_yield();
  // RACE high highread: spec-violated assertion: the reader may see the old one of these and the new one of the others
  high = 1;  // @high
  return unused;
}

static void* compares(void* unused) {
  later();
  int one = low;     // @lowread
  int other = high;  // @highread
  assert(one == other);
  return unused;
}

int main(void) {
  run_both(writes, compares);
  printf("same\n");
}
