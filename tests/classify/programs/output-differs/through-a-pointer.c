// The order decides which of two values a pointer stands for when it is printed.
#include "threads.h"

static int left = 1, right = 2;
static int* volatile chosen = &left;

static void* turns(void* unused) {
  // RACE turn follow: output-differs output: followed first, it is the left one
  chosen = &right;  // @turn
  return unused;
}

static void* follows(void* unused) {
  later();
  int value = *chosen;  // @follow
  printf("%d\n", value);
  return unused;
}

int main(void) { run_both(turns, follows); }
