// The lock is taken after the barrier: the other may have it first.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
int x;

static void* waits(void* none) {
  pthread_barrier_wait(&barrier);
  await_turn(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: predicted x
  return none;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, waits, NULL);
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  x = 2;  // RACE: predicted x
  pthread_mutex_unlock(&mutex);
  end_turn();
  pthread_join(thread, NULL);
}
