// Condition variables: two workers; who asked for the work waits until all of it is done, and only the last one to
// count signals that.
// NORACE
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
enum { kTasks = 2 };
int inputs[kTasks], results[kTasks];
int next_task = kTasks, done;

static void work(void) {
  pthread_mutex_lock(&mutex);
  while (next_task == kTasks) pthread_cond_wait(&changed, &mutex);
  const int task = next_task++;
  pthread_mutex_unlock(&mutex);
  results[task] = inputs[task] * 2;
  pthread_mutex_lock(&mutex);
  if (++done == kTasks) pthread_cond_signal(&finished);
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  work();
  end_turn();
}

static void second(void) {
  await_turn(1);
  work();
}

static void asks(void) {
  for (int i = 0; i < kTasks; ++i) inputs[i] = i;
  pthread_mutex_lock(&mutex);
  next_task = 0;
  pthread_cond_broadcast(&changed);
  while (done != kTasks) pthread_cond_wait(&finished, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kTasks; ++i) results[i]++;
}

int main(void) {
  const Body bodies[] = {first, second, asks};
  run_many(bodies, 3);
}
