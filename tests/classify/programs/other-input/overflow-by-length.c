// A length is set while it is used. With a short argument both lengths are within the block; with a long one the new
// length is not.
// ARGS: 4
// OTHER-ARGS: 64
#include "threads.h"

static volatile int length = 2;
static int wanted;
static char* block;

static void* sets(void* unused) {
  later();
  // RACE set use: spec-violated memory-error other-input: with 64 the block is written beyond its end
  length = wanted;  // @set
  return unused;
}

static void* uses(void* unused) {
  int end = length;  // @use
  block[end] = 1;
  return unused;
}

int main(int argc, char** argv) {
  wanted = argc > 1 ? atoi(argv[1]) : 4;
  block = calloc(1, 16);
  run_both(sets, uses);
  free(block);
  puts("done");
}
