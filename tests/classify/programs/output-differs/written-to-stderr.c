// What is written to stderr depends on the order.
#include "threads.h"

static volatile int warnings;

static void* warns(void* unused) {
  // RACE warn count: output-differs output: read first, there are none
  warnings = 2;  // @warn
  return unused;
}

static void* counts(void* unused) {
  later();
  int now = warnings;  // @count
  fprintf(stderr, "%d warnings\n", now);
  return unused;
}

int main(void) { run_both(warns, counts); }
