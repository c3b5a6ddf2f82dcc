// The one thread that the barrier picks works for all, between two generations.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x;

static void works(void) {
  for (int phase = 0; phase < 10; phase++) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) x++;
    pthread_barrier_wait(&barrier);
  }
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(works, works);
  return x != 10;
}
