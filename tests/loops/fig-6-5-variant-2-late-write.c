// Thesis, figure 6.5, variant 2, with a mistake: the data is written after the section that announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int COND;
int DATA;

static void sets(void) {
  pthread_mutex_lock(&mutex);
  COND = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  DATA = 1;  // RACE: observed DATA
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  goto test;
body:
  pthread_cond_wait(&changed, &mutex);
test:
  if (COND != 1) goto body;
  pthread_mutex_unlock(&mutex);
  DATA = 2;  // RACE: observed DATA
}

int main(void) { meet(waits, sets); }
