// Condition variable: one of two reasons to go on; the data belongs to the one that holds.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, cancelled;
int x;

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!(ready || cancelled)) pthread_cond_wait(&changed, &mutex);
  const int use = ready;
  pthread_mutex_unlock(&mutex);
  if (use) x = 2;
}

int main(void) { meet(waits, announces); }
