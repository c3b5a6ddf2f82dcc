// A block that one thread frees is written by another.
#include "threads.h"

static int* block;

static void* writes(void* unused) {
  // RACE write free: spec-violated memory-error: freed first, the write is one to freed memory
  block[2] = 9;  // @write
  return unused;
}

static void* frees(void* unused) {
  later();
  free(block);  // @free
  return unused;
}

int main(void) {
  block = calloc(8, sizeof(int));
  run_both(writes, frees);
  printf("done\n");
}
