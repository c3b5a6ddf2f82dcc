// Without the library a mutex is nothing, and what it protects is a race.
// OPTIONS: --lib=off
// TABLE: no
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void adds(void) {
  pthread_mutex_lock(&mutex);
  x++;  // RACE: observed x
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet(adds, adds); }
