// Thesis, listing 8.2: the first of the conditions ends the wait, and the second is never read.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1 = 1, FLAG2 = 1;
int DATA;

static void sets(void) {
  DATA = 1;
  pthread_mutex_lock(&mutex);
  FLAG1 = 0;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (FLAG1 && FLAG2) {
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  DATA++;
}

int main(void) { meet(waits, sets); }
