// A block that one thread frees is read by another: nothing crashes, and still it is read after its end.
#include "threads.h"

static int* block;
static volatile int seen;

static void* reads(void* unused) {
  // RACE read free: spec-violated memory-error: freed first, the read is one of freed memory
  seen = block[1];  // @read
  return unused;
}

static void* frees(void* unused) {
  later();
  free(block);  // @free
  return unused;
}

int main(void) {
  block = calloc(4, sizeof(int));
  run_both(reads, frees);
  printf("done\n");
}
