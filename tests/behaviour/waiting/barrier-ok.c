// What stands before the barrier comes before what stands after it.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x, y;
int seen_x, seen_y;

static void first(void) {
  x = 1;
  pthread_barrier_wait(&barrier);
  seen_y = y;
}

static void second(void) {
  y = 1;
  pthread_barrier_wait(&barrier);
  seen_x = x;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(first, second);
  pthread_barrier_destroy(&barrier);
  return seen_x + seen_y != 2;
}
