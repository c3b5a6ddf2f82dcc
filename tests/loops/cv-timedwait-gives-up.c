// Condition variable: the loop is left because the time is over, not because the condition holds.
// RUN: %check %s --levels=-O0,-O2

#include <errno.h>
#include <time.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void waits(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  int status = 0;
  pthread_mutex_lock(&mutex);
  while (!ready && status != ETIMEDOUT) status = pthread_cond_timedwait(&changed, &mutex, &limit);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
  end_turn();
}

static void announces(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(waits, announces); }
