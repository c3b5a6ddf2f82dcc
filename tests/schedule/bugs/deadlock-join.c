// The main thread joins a worker while it holds the lock that the worker needs for its last act, unless that is done.
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=none
// FOUND-BY: random pct pos
// RUN: %show %s
// RUN: %found %s
#include <semaphore.h>

#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t nearly_done;
static int done;

static void* work(void* unused) {
  sem_post(&nearly_done);
  step(1);
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t worker;
  sem_init(&nearly_done, 0, 0);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&nearly_done);
  compute();
  pthread_mutex_lock(&mutex);
  step(0);
  int joined = !done;
  if (joined) pthread_join(worker, NULL);
  pthread_mutex_unlock(&mutex);
  if (!joined) pthread_join(worker, NULL);
}
