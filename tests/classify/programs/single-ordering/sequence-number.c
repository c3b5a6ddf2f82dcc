// Elements of an array are published one by one, by a number that grows.
#include "threads.h"

static volatile int published;
static int elements[4];
static int sum;

static void* writes(void* unused) {
  for (int i = 0; i < 4; ++i) {
    // RACE element read: single-ordering: the loop before the read waits for the number that follows this write
    elements[i] = i + 1;  // @element
    // RACE publish wait: single-ordering: the loop waits for this very write
    published = i + 1;  // @publish
  }
  return unused;
}

static void* reads(void* unused) {
  for (int i = 0; i < 4; ++i) {
    while (published <= i) sched_yield();  // @wait
    sum += elements[i];                    // @read
  }
  return unused;
}

int main(void) {
  run_both(writes, reads);
  printf("%d\n", sum);
}
