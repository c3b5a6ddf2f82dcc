// Library: each thread takes another mutex.
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int x;

static void first(void) {
  pthread_mutex_lock(&mutex);
  x++;  // RACE: observed x
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&other);
  x++;  // RACE: observed x
  pthread_mutex_unlock(&other);
}

int main(void) { run_two(first, second); }
