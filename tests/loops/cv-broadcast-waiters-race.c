// Condition variable: both waiters are ordered after the signaller, but not with each other.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void first(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 3;  // RACE: observed x
}

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  const Body waiters[] = {first, second};
  const Body counterpart = announces;
  meet_many(waiters, 2, &counterpart, 1);
}
