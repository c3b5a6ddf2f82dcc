// Two pairs of threads use one barrier in turn: the first pair's generation does not order the second pair.
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x;

static void first_pair_writes(void) {
  x = 1;  // RACE: observed x
  pthread_barrier_wait(&barrier);
  end_turn();
}

static void first_pair(void) {
  pthread_barrier_wait(&barrier);
  end_turn();
}

static void second_pair(void) {
  await_turn(2);
  pthread_barrier_wait(&barrier);
}

static void second_pair_writes(void) {
  await_turn(2);
  pthread_barrier_wait(&barrier);
  x = 2;  // RACE: observed x
}

static void* first_two(void* unused) {
  run_two(first_pair_writes, first_pair);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t pair;
  pthread_create(&pair, NULL, first_two, NULL);
  run_two(second_pair, second_pair_writes);
  pthread_join(pair, NULL);
}
