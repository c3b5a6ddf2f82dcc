// Nothing is printed; the order decides the exit status.
#include "threads.h"

static volatile int verdict;

static void* fails(void* unused) {
  // RACE bad good: output-differs exit-status|status|output: the later one is the exit status
  verdict = 3;  // @bad
  return unused;
}

static void* succeeds(void* unused) {
  later();
  verdict = 0;  // @good
  return unused;
}

int main(void) {
  run_both(fails, succeeds);
  return verdict;
}
