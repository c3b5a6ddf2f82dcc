// A debug level decides whether a line is printed at all.
#include "threads.h"

static volatile int level;

static void* raises(void* unused) {
  // RACE raise ask: output-differs output: asked first, the line is missing
  level = 2;  // @raise
  return unused;
}

static void* works(void* unused) {
  later();
  int verbose = level > 1;  // @ask
  if (verbose) puts("works");
  puts("done");
  return unused;
}

int main(void) { run_both(raises, works); }
