// Condition variable: the data is written after the unlock and before the signal. Who has seen `ready` need not wait
// for the signal, so it does not order the data.
// ARRIVAL: counterpart
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void announces(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: observed x
  pthread_cond_signal(&changed);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
