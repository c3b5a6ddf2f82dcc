// Three threads, each waits for the one before.
#include "threads.h"

static volatile int first_done, second_done;
static int stage0, stage1, stage2;

static void* one(void* unused) {
  // RACE stage0 use0: single-ordering: the loop before the read waits for the flag that follows this write
  stage0 = 2;  // @stage0
  // RACE set1 wait1: single-ordering: the loop waits for this very write
  first_done = 1;  // @set1
  return unused;
}

static void* other(void* unused) {
  while (!first_done) sched_yield();  // @wait1
  // RACE stage1 use1: single-ordering: the loop before the read waits for the flag that follows this write
  stage1 = stage0 * 3;  // @use0 @stage1
  // RACE set2 wait2: single-ordering: the loop waits for this very write
  second_done = 1;  // @set2
  return unused;
}

static void* third(void* unused) {
  while (!second_done) sched_yield();  // @wait2
  stage2 = stage1 * 5;                 // @use1
  return unused;
}

int main(void) {
  run_three(one, other, third);
  printf("%d\n", stage2);
}
