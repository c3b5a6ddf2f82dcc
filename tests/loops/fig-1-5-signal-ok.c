// Thesis, figure 1.5: DATA is handed over by signal and wait, under no common lock.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int DATA;

static void first(void) {
  DATA = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  DATA = 2;
}

int main(void) { meet(second, first); }
