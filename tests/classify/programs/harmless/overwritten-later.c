// Whatever the threads leave is overwritten before it is used.
#include "threads.h"

static volatile int scratch;

static void* one(void* unused) {
  // RACE one two: k-witness-harmless states=differ: main writes over it
  scratch = 1;  // @one
  return unused;
}

static void* other(void* unused) {
  scratch = 2;  // @two
  return unused;
}

int main(void) {
  run_both(one, other);
  scratch = 7;
  printf("%d\n", scratch);
}
