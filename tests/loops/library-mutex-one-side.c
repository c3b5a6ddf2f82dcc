// Library: only one of the threads takes the mutex.
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void careful(void) {
  pthread_mutex_lock(&mutex);
  x++;  // RACE: observed x
  pthread_mutex_unlock(&mutex);
}

static void careless(void) {
  x++;  // RACE: observed x
}

int main(void) { run_two(careful, careless); }
