// Condition variable: an endless loop left by break; the data is written after the section that announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void announces(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  for (;;) {
    if (ready) break;
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
