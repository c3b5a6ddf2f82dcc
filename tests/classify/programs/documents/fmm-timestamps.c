// After fmm (Portend, §6.3.2 and table 6): a time stamp is negative for a while and overwritten before anyone prints
// it. Harmless by itself; with the predicate that time stamps are positive it violates the specification.
// PREDICATE: stamps.interaction > 0
#include "threads.h"

static struct {
  volatile int interaction;
  int other;
} stamps = {1, 1};

static void* computes(void* unused) {
  // RACE negative positive: k-witness-harmless states=differ: whatever is there is overwritten before it is used
  // WITH-PREDICATE negative positive: spec-violated predicate: the time stamp is negative for a while
  stamps.interaction = -5;  // @negative
  return unused;
}

static void* corrects(void* unused) {
  stamps.interaction = 3;  // @positive
  return unused;
}

int main(void) {
  run_both(computes, corrects);
  stamps.interaction = 9;
  printf("stamp %d\n", stamps.interaction);
}
