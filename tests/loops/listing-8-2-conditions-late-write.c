// Thesis, listing 8.2 with a mistake: the data is written after the section that ends the second condition.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1 = 1, FLAG2 = 1;
int DATA;

static void sets(void) {
  pthread_mutex_lock(&mutex);
  FLAG2 = 0;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  DATA = 1;  // RACE: observed DATA
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (FLAG1 && FLAG2) {
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  DATA++;  // RACE: observed DATA
}

int main(void) { meet(waits, sets); }
