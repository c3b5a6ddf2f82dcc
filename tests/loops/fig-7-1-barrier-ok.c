// Thesis, figure 7.1: a barrier from a library that the detector does not know (Inputs/own-barrier.c).
// ALSO: Inputs/own-barrier.c
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "Inputs/own-barrier.h"
#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
OwnBarrier barrier = {3, 0, 0};
int DATA;
int seen[3];

static void work(int me) {
  pthread_mutex_lock(&mutex);
  DATA++;
  pthread_mutex_unlock(&mutex);
  own_barrier_wait(&barrier);
  seen[me] = DATA;
}

static void first(void) { work(0); }
static void second(void) { work(1); }
static void third(void) { work(2); }

int main(void) {
  const Body bodies[] = {first, second, third};
  run_many(bodies, 3);
}
