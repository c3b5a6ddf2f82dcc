// A loop that only spins.
#include "threads.h"

static volatile int flag;
static int data, seen;

static void* sends(void* unused) {
  // RACE data read: single-ordering: the loop before the read waits for the flag that follows this write
  data = 6;  // @data
  // RACE set wait: single-ordering: the loop waits for this very write
  flag = 1;  // @set
  return unused;
}

static void* receives(void* unused) {
  while (!flag) {  // @wait
  }
  seen = data;  // @read
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", seen);
}
