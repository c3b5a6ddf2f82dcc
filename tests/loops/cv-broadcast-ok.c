// Condition variable: one broadcast, two waiters.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;
int seen[2];

static void wait_for_it(int me) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  seen[me] = x;
}

static void first(void) { wait_for_it(0); }
static void second(void) { wait_for_it(1); }

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
