// Condition variable: the wait ends because it is cancelled, and the waiter takes the data nevertheless.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, cancelled;
int x;

static void cancels(void) {
  pthread_mutex_lock(&mutex);
  cancelled = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void waits(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  while (!(ready || cancelled)) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
  end_turn();
}

static void announces(void) {
  await_turn(2);
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  const Body bodies[] = {cancels, waits, announces};
  run_many(bodies, 3);
}
