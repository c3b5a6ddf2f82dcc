// The last writer's value is printed.
#include "threads.h"

static volatile int winner;

static void* one(void* unused) {
  // RACE one two: output-differs output: the later one is printed
  winner = 1;  // @one
  return unused;
}

static void* other(void* unused) {
  winner = 2;  // @two
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("winner %d\n", winner);
}
