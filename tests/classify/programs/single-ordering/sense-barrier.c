// A barrier of two flags, one for each thread: each sets its own and waits for the other's.
#include "threads.h"

static volatile int here[2];
static int parts[2], sums[2];

static void* one(void* unused) {
  // RACE part0 read0: single-ordering: the other's loop waits for the flag that follows this write
  parts[0] = 1;  // @part0
  // RACE here0 wait0: single-ordering: the loop waits for this very write
  here[0] = 1;                     // @here0
  while (!here[1]) sched_yield();  // @wait1
  sums[0] = parts[1] + 1;          // @read1
  return unused;
}

static void* other(void* unused) {
  // RACE part1 read1: single-ordering: the other's loop waits for the flag that follows this write
  parts[1] = 2;  // @part1
  // RACE here1 wait1: single-ordering: the loop waits for this very write
  here[1] = 1;                     // @here1
  while (!here[0]) sched_yield();  // @wait0
  sums[1] = parts[0] + 2;          // @read0
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d %d\n", sums[0], sums[1]);
}
