// Condition variable: an `if` around the wait instead of a loop (listing 6.4 of the thesis names it beside the loops).
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

static void waits(void) {
  pthread_mutex_lock(&mutex);
  if (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { meet(waits, announces); }
