// Both accesses stand after the barrier.
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x;

static void first(void) {
  pthread_barrier_wait(&barrier);
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  pthread_barrier_wait(&barrier);
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(first, second);
}
