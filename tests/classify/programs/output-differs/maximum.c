// A maximum that is compared and written without a lock: a smaller one may come last.
#include "threads.h"

static volatile int best;

static void offer(int value) {
  // RACE compare write: output-differs output: compared with what is overwritten right after
  int now = best;  // @compare
  sched_yield();
  // RACE write write: output-differs output: the smaller one may be the last
  if (value > now) best = value;  // @write
}

static void* small(void* unused) {
  offer(3);
  return unused;
}

static void* large(void* unused) {
  later();
  offer(8);
  return unused;
}

int main(void) {
  run_both(small, large);
  printf("%d\n", best);
}
