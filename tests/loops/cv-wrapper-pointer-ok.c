// Condition variable: the wait is called through a function pointer that is set at run time.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;
int (*volatile wait_function)(pthread_cond_t*, pthread_mutex_t*);

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) wait_function(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) {
  wait_function = pthread_cond_wait;
  meet(waits, announces);
}
