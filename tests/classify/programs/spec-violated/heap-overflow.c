// The size of a block shrinks between the check and the access.
#include "threads.h"

static char* block;
static volatile int size = 32;

static void* fills(void* unused) {
  // RACE size shrink: spec-violated memory-error: the old size is read, and the block is replaced by a smaller one
  int end = size;  // @size
  sched_yield();
  // RACE fill place: spec-violated memory-error: the smaller block is written beyond its end
  block[end - 1] = 1;  // @fill
  return unused;
}

static void* shrinks(void* unused) {
  later();
  size = 8;            // @shrink
  block = block + 24;  // @place
  return unused;
}

int main(void) {
  block = calloc(1, 32);
  char* all = block;
  run_both(fills, shrinks);
  free(all);
  printf("done\n");
}
