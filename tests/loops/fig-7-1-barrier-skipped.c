// Thesis, figure 7.1 with a mistake: one thread looks at DATA without waiting at the barrier.
// ALSO: Inputs/own-barrier.c
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "Inputs/own-barrier.h"
#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
OwnBarrier barrier = {2, 0, 0};
int DATA;
int seen[3];

static void work(int me) {
  pthread_mutex_lock(&mutex);
  DATA++;  // RACE: observed DATA
  pthread_mutex_unlock(&mutex);
  own_barrier_wait(&barrier);
  seen[me] = DATA;
}

static void first(void) {
  await_turn(1);
  work(0);
}

static void second(void) {
  await_turn(1);
  work(1);
}

static void hasty(void) {
  seen[2] = DATA;  // RACE: observed DATA
  end_turn();
}

int main(void) {
  const Body bodies[] = {first, second, hasty};
  run_many(bodies, 3);
}
