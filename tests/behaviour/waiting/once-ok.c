// All who pass the once come after its initialiser.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int x;
int sums[2];

static void initialise(void) { x = 7; }

static void first(void) {
  pthread_once(&once, initialise);
  sums[0] = x;
}

static void second(void) {
  pthread_once(&once, initialise);
  sums[1] = x;
}

int main(void) {
  run_two(first, second);
  return sums[0] + sums[1] != 14;
}
