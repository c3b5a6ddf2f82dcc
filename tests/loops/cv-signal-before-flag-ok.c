// Condition variable: the signal comes first and the flag after it, in the same critical section. No waiter can go on
// before that section has ended, so all that was done in it is ordered.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x, y;

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&changed);
  y = 1;
  ready = 1;
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;
  y = 2;
}

int main(void) { meet(waits, announces); }
