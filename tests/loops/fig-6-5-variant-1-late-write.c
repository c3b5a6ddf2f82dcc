// Thesis, figure 6.5, variant 1, with a mistake: the data is written after the section that announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int open_now;
int DATA;

static void opens(void) {
  pthread_mutex_lock(&mutex);
  open_now = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  DATA = 1;  // RACE: observed DATA
}

static void enters(void) {
  pthread_mutex_lock(&mutex);
  if (!open_now) {
    do {
      pthread_cond_wait(&changed, &mutex);
    } while (!open_now);
  }
  pthread_mutex_unlock(&mutex);
  DATA = 2;  // RACE: observed DATA
}

int main(void) { meet(enters, opens); }
