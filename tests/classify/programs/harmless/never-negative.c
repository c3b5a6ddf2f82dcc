// Only that a number is not negative is asked, and both are not.
#include "threads.h"

static volatile int size = 10;
static int is_valid;

static void* resizes(void* unused) {
  // RACE resize check: k-witness-harmless: the old and the new size are both valid
  size = 20;  // @resize
  return unused;
}

static void* checks(void* unused) {
  is_valid = size >= 0;  // @check
  return unused;
}

int main(void) {
  run_both(resizes, checks);
  printf("valid %d\n", is_valid);
}
