// The lock is taken before the barrier: whoever passes the barrier can have it only after it was given up.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
int x;

static void* waits(void* none) {
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;
  return none;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, waits, NULL);
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&barrier);
  x = 2;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}
