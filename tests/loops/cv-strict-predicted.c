// Condition variable: a signal that came before the wait is lost; judged by wake-ups alone, only the accident of who
// had the mutex first orders what was done before.
// OPTIONS: --strict
// TABLE: no
// ARRIVAL: counterpart
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void signals(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: predicted x
}

int main(void) { meet(waits, signals); }
