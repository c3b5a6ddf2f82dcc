// A divisor is zero until it is set.
#include "threads.h"

static volatile int parts;
static int share;

static void* sets(void* unused) {
  // RACE set divide: spec-violated crash: read first, it is a division by zero
  parts = 4;  // @set
  return unused;
}

static void* divides(void* unused) {
  later();
  share = 20 / parts;  // @divide
  return unused;
}

int main(void) {
  run_both(sets, divides);
  printf("%d\n", share);
}
