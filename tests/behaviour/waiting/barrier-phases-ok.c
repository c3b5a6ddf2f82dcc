// One barrier used again and again: in each phase another thread owns the variable.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x;

static void even(void) {
  for (int phase = 0; phase < 20; phase++) {
    if (phase % 2 == 0) x++;
    pthread_barrier_wait(&barrier);
  }
}

static void odd(void) {
  for (int phase = 0; phase < 20; phase++) {
    if (phase % 2 == 1) x++;
    pthread_barrier_wait(&barrier);
  }
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_two(even, odd);
  return x != 20;
}
