// After fmm (Portend, §6.3.2 and table 6): a time stamp is negative for a while, if the time it is counted from is read
// before it is set, and overwritten before anyone prints it. Harmless by itself; with the predicate that time stamps
// are positive it violates the specification.
// PREDICATE: stamps.interaction > 0
#include "threads.h"

static struct {
  volatile int interaction;
  int other;
} stamps = {1, 1};
static volatile int began = 20;  // of the round before

static void* begins(void* unused) {
  // RACE begin stamp: k-witness-harmless states=differ: whatever is there is overwritten before it is used
  // WITH-PREDICATE begin stamp: spec-violated predicate: counted from the round before, the time stamp is negative
  began = 3;  // @begin
  return unused;
}

static void* stamps_it(void* unused) {
  later();
  stamps.interaction = 9 - began;  // @stamp
  return unused;
}

int main(void) {
  run_both(begins, stamps_it);
  stamps.interaction = 9;
  printf("stamp %d\n", stamps.interaction);
}
