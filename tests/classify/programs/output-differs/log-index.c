// Two threads take the next place of a log without a lock.
#include "threads.h"

static int entries[4];
static volatile int next;

static void log_it(int what) {
  // RACE take put: output-differs output: two who take the same place leave one entry
  int place = next;  // @take
  sched_yield();
  // RACE put put: output-differs output: the count is one less if both took the same place
  next = place + 1;  // @put
  entries[place] = what;
}

static void* one(void* unused) {
  log_it(1);
  return unused;
}

static void* other(void* unused) {
  later();
  log_it(2);
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d entries\n", next);
}
