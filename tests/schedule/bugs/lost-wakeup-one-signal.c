// Two waiters of different events share a condition variable; a single signal wakes the wrong one, which waits again.
// BUG: kind=lost-wakeup preemptions=1 threads=3 shows=hang finding=none
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started, stopped;

static void* await_stop(void* unused) {
  pthread_mutex_lock(&mutex);
  for (int times = 0; !stopped; ++times) {
    step(3 * times);
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* await_start(void* unused) {
  after_step(1);
  pthread_mutex_lock(&mutex);
  while (!started) {
    step(1);
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void announce(int* event) {
  pthread_mutex_lock(&mutex);
  *event = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void* start_and_stop(void* unused) {
  step(2);
  announce(&started);
  step(4);
  announce(&stopped);
  return unused;
}

int main(void) { RUN(start_and_stop, await_stop, await_start); }
