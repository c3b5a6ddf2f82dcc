// Thesis, figure 1.6: the lock orders the accesses to DATA only by accident.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int DATA;

static void first(void) {
  DATA++;  // RACE: predicted DATA
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  DATA++;  // RACE: predicted DATA
}

int main(void) { run_two(first, second); }
