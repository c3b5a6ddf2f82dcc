// A pointer that is used before it is set.
#include "threads.h"

static int storage = 5;
static int* volatile pointer;
static int seen;

static void* sets(void* unused) {
  // RACE set use: spec-violated crash: read first, the pointer is null
  pointer = &storage;  // @set
  return unused;
}

static void* uses(void* unused) {
  later();
  seen = *pointer;  // @use
  return unused;
}

int main(void) {
  run_both(sets, uses);
  printf("%d\n", seen);
}
