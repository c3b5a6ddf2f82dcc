// An offset that is huge until it is set: far outside of everything.
#include "threads.h"

static int table[4] = {1, 2, 3, 4};
static volatile long offset = 1L << 40;
static int seen;

static void* sets(void* unused) {
  // RACE set use: spec-violated crash|memory-error: read first, the access is far outside of the table
  offset = 2;  // @set
  return unused;
}

static void* uses(void* unused) {
  later();
  seen = table[offset];  // @use
  return unused;
}

int main(void) {
  run_both(sets, uses);
  printf("%d\n", seen);
}
