// A measured value is compared with a threshold; with the given one both values are below it.
// ARGS: 50
// OTHER-ARGS: 15
#include "threads.h"

static volatile int value = 10;
static int threshold;
static int is_above;

static void* measures(void* unused) {
  // RACE measure compare: output-differs output other-input: with 15 the order decides
  value = 20;  // @measure
  return unused;
}

static void* compares(void* unused) {
  is_above = value > threshold;  // @compare
  return unused;
}

int main(int argc, char** argv) {
  threshold = argc > 1 ? atoi(argv[1]) : 50;
  run_both(measures, compares);
  printf("above: %d\n", is_above);
}
