// A loop waits until all of two workers have counted, each in a place of its own.
#include "threads.h"

static volatile int finished[2];
static int parts[2];

static void* one(void* unused) {
  // RACE part0 sum0: single-ordering: the loop before the read waits for the flag that follows this write
  parts[0] = 20;  // @part0
  // RACE set0 wait: single-ordering: the loop waits for this very write
  finished[0] = 1;  // @set0
  return unused;
}

static void* other(void* unused) {
  // RACE part1 sum1: single-ordering: the loop before the read waits for the flag that follows this write
  parts[1] = 22;  // @part1
  // RACE set1 wait: single-ordering: the loop waits for this very write
  finished[1] = 1;  // @set1
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, other, 0);
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    while (!finished[i]) sched_yield();  // @wait
  }
  sum += parts[0];  // @sum0
  sum += parts[1];  // @sum1
  pthread_join(first, 0);
  pthread_join(second, 0);
  printf("%d\n", sum);
}
