// After pbzip2 (Portend, table 6: three of its races change what it prints): the progress that is shown is read while
// the compressors still count.
#include "threads.h"

static volatile int blocks_done;
static volatile int percent;

static void* compresses(void*) {
  // RACE done show: output-differs output: the number of blocks that is shown may be the one before
  blocks_done = 10;  // @done
  // RACE percent shown: output-differs output: the percentage that is shown may be the one before
  percent = 100;  // @percent
  return nullptr;
}

static void* shows(void*) {
  later();
  int done = blocks_done;  // @show
  int part = percent;      // @shown
  printf("%d blocks, %d %%\n", done, part);
  return nullptr;
}

int main() { run_both(compresses, shows); }
