// Library: a barrier, and two threads at the same place in the same phase.
// RUN: %check %s

#include "arrival.h"

pthread_barrier_t barrier;
int x;

static void first(void) {
  pthread_barrier_wait(&barrier);
  x = 1;  // RACE: observed x
  pthread_barrier_wait(&barrier);
}

static void second(void) {
  pthread_barrier_wait(&barrier);
  x = 2;  // RACE: observed x
  pthread_barrier_wait(&barrier);
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(first, second);
}
