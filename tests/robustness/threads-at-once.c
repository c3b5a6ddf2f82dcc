// Two thousand threads at once.
// STDOUT: 2000
// RUN: %check %s

#include <semaphore.h>
#include <stdio.h>

#include "order.h"

enum { kThreads = 2000 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t go;
int started;
int x;

static void* runs(void* number) {
  pthread_mutex_lock(&mutex);
  started++;
  pthread_mutex_unlock(&mutex);
  sem_wait(&go);
  if ((size_t)number == 0) {
    x = 1;  // RACE: observed x
    end_turn();
  }
  if ((size_t)number == kThreads - 1) {
    await_turn(1);
    x = 2;  // RACE: observed x
  }
  return NULL;
}

int main(void) {
  static pthread_t threads[kThreads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 17);
  sem_init(&go, 0, 0);
  for (size_t i = 0; i < kThreads; i++)
    if (pthread_create(&threads[i], &small, runs, (void*)i) != 0) return 1;
  for (size_t i = 0; i < kThreads; i++) sem_post(&go);
  for (size_t i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  printf("%d\n", started);
}
