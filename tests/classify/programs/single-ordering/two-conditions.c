// A loop that waits for one of two flags, of which only one is ever set.
#include "threads.h"

static volatile int is_ready, is_cancelled;
static int data, seen;

static void* sends(void* unused) {
  // RACE data read: single-ordering: the loop before the read waits for the flag that follows this write
  data = 17;  // @data
  // RACE set wait: single-ordering: the loop waits for this very write
  is_ready = 1;  // @set
  return unused;
}

static void* receives(void* unused) {
  while (!is_ready && !is_cancelled) sched_yield();  // @wait
  seen = data;                                       // @read
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", seen);
}
