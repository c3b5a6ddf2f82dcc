// Condition variable: waits at least once.
// NORACE
// UNORDERED: deadlock: the signal may come before the wait
// ARRIVAL: waiter
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
  do {
    pthread_cond_wait(&changed, &mutex);
  } while (!ready);
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { meet(waits, announces); }
