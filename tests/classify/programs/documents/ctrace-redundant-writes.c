// After ctrace (Portend, figure 28 b and table 6: redundant writes): each thread that traces says so and notes when.
#include "threads.h"

static volatile int tracing, level, last_thread, initialized;

static void* one(void* unused) {
  // RACE on on: k-witness-harmless states=same: both write 1
  tracing = 1;  // @on
  // RACE level level: k-witness-harmless states=same: both write 3
  level = 3;  // @level
  // RACE mine yours: k-witness-harmless states=differ: who traced last is never looked at
  // RACE mine mine: k-witness-harmless states=same: both write 1
  last_thread = 1;  // @mine
  return unused;
}

static void* other(void* unused) {
  one(0);
  last_thread = 2;  // @yours
  // RACE init init2: k-witness-harmless states=same: both write 1
  initialized = 1;  // @init
  return unused;
}

static void* third(void* unused) {
  initialized = 1;  // @init2
  return unused;
}

int main(void) {
  run_three(one, other, third);
  printf("%d %d %d\n", tracing, level, initialized);
}
