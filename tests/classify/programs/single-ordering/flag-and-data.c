// A flag that a loop waits for, and what is read behind the loop.
#include "threads.h"

static volatile int flag;
static int data, seen;

static void* sends(void* unused) {
  // RACE data read: single-ordering: the loop before the read waits for the flag that follows this write
  data = 5;  // @data
  // RACE set wait: single-ordering: the loop waits for this very write
  flag = 1;  // @set
  return unused;
}

static void* receives(void* unused) {
  while (!flag) sched_yield();  // @wait
  seen = data;                  // @read
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", seen);
}
