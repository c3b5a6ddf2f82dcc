// A pointer is checked, and cleared by another thread before it is used.
#include "threads.h"

static int storage = 5;
static int* volatile pointer = &storage;
static int seen;

static void* clears(void* unused) {
  later();
  // RACE clear check: spec-violated crash: cleared right behind the check
  // RACE clear use: spec-violated crash: cleared before it is read again
  pointer = 0;  // @clear
  return unused;
}

static void* uses(void* unused) {
  if (pointer != 0) {  // @check
    sched_yield();
    seen = *pointer;  // @use
  }
  return unused;
}

int main(void) {
  run_both(clears, uses);
  printf("done\n");
}
