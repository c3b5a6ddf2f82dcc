// The address to free is moved by another thread into the middle of the block.
#include "threads.h"

static char* volatile cursor;
static char* volatile start;

static void* frees(void* unused) {
  // RACE take move: spec-violated memory-error|crash: moved first, what is freed is no beginning of a block
  free(cursor);  // @take
  return unused;
}

static void* moves(void* unused) {
  later();
  cursor = start + 16;  // @move
  return unused;
}

int main(void) {
  start = cursor = calloc(1, 64);
  run_both(frees, moves);
  printf("done\n");
}
