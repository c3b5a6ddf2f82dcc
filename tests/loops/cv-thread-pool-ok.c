// Condition variables: a pool of two workers; who asked for the work waits until all of it is done.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
enum { kTasks = 6 };
int inputs[kTasks], results[kTasks];
int next_task = kTasks, done, stopping;

static void worker(void) {
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (next_task == kTasks && !stopping) pthread_cond_wait(&changed, &mutex);
    if (next_task == kTasks) break;
    const int task = next_task++;
    pthread_mutex_unlock(&mutex);
    results[task] = inputs[task] * 2;
    pthread_mutex_lock(&mutex);
    if (++done == kTasks) pthread_cond_signal(&finished);
  }
  pthread_mutex_unlock(&mutex);
}

static void asks(void) {
  for (int i = 0; i < kTasks; ++i) inputs[i] = i;
  pthread_mutex_lock(&mutex);
  next_task = 0;
  pthread_cond_broadcast(&changed);
  while (done != kTasks) pthread_cond_wait(&finished, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kTasks; ++i) results[i]++;
  pthread_mutex_lock(&mutex);
  stopping = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  const Body bodies[] = {worker, worker, asks};
  run_many(bodies, 3);
}
