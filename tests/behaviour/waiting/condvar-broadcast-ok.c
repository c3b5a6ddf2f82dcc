// A broadcast comes before all the waiters it wakes.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;
int sum;

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  end_turn();
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  int copy = x;
  pthread_mutex_lock(&mutex);
  sum += copy;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t waiters[3];
  for (int i = 0; i < 3; i++) pthread_create(&waiters[i], NULL, waits, NULL);
  await_turn(3);
  x = 7;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 3; i++) pthread_join(waiters[i], NULL);
  return sum != 21;
}
