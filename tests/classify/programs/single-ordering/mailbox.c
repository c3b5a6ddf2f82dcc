// A box for one letter that is either empty or full.
#include "threads.h"

static volatile int full;
static int letter, sum;

static void* sends(void* unused) {
  for (int i = 1; i <= 3; ++i) {
    while (full) sched_yield();  // @untilempty
    // RACE write read: single-ordering: the loops on both sides wait for the box to be full and to be empty
    letter = i;  // @write
    // RACE fill untilfull: single-ordering: the loop waits for this very write
    // RACE fill empty: single-ordering: each is written behind the loop that waits for the other
    full = 1;  // @fill
  }
  return unused;
}

static void* receives(void* unused) {
  for (int i = 1; i <= 3; ++i) {
    while (!full) sched_yield();  // @untilfull
    sum += letter;                // @read
    // RACE empty untilempty: single-ordering: the loop waits for this very write
    full = 0;  // @empty
  }
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", sum);
}
