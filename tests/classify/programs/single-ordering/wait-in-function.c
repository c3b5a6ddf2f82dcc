// The loop is in a function of its own, and the flag is given to it by its address.
#include "threads.h"

static volatile int ready;
static int data, seen;

static void await(volatile int* flag) {
  while (!*flag) sched_yield();  // @wait
}

static void* sends(void* unused) {
  // RACE data read: single-ordering: the loop before the read waits for the flag that follows this write
  data = 13;  // @data
  // RACE set wait: single-ordering: the loop waits for this very write
  ready = 1;  // @set
  return unused;
}

static void* receives(void* unused) {
  await(&ready);
  seen = data;  // @read
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", seen);
}
