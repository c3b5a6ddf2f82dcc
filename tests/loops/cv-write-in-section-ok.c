// Condition variable: data written after the signal but before the unlock is ordered by the condition all the same.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void announces(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  x = 1;
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { meet(waits, announces); }
