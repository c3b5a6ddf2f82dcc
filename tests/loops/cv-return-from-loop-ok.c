// Condition variable: the loop is left by a return, in which the mutex is released.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static int take(void) {
  pthread_mutex_lock(&mutex);
  while (1) {
    if (ready > 0) {
      const int value = ready;
      ready = 0;
      pthread_mutex_unlock(&mutex);
      return value;
    }
    pthread_cond_wait(&changed, &mutex);
  }
}

static void waits(void) { x = 1 + take(); }
int main(void) { meet(waits, announces); }
