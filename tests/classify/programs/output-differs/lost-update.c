// Two threads add to a total without a lock, and it is printed.
#include "threads.h"

static volatile int total;

static void* adds(void* unused) {
  // RACE read write: output-differs output: an update is lost, and the total is less
  int now = total;  // @read
  sched_yield();
  // RACE write write: output-differs output: the later write of one number loses the other's
  total = now + 5;  // @write
  return unused;
}

static void* adds_later(void* unused) {
  later();
  return adds(unused);
}

int main(void) {
  run_both(adds, adds_later);
  printf("%d\n", total);
}
