// Main waits in a loop for a count that both threads lower without a lock: a lost update, and it waits for ever.
#include "threads.h"

static volatile int left = 2;

static void* counts(void* unused) {
  // RACE read write: spec-violated hang: two who read the same number lower it once
  int now = left;  // @read
  sched_yield();
  // RACE write write: spec-violated hang: the later write of one number loses the other's
  // RACE write wait: single-ordering: the loop waits for the last of these writes
  left = now - 1;  // @write
  return unused;
}

static void* waits_and_counts(void* unused) {
  later();
  return counts(unused);
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, counts, 0);
  pthread_create(&other, 0, waits_and_counts, 0);
  while (left) sched_yield();  // @wait
  pthread_join(one, 0);
  pthread_join(other, 0);
  printf("counted\n");
}
