// Condition variable: the wait stands in a function of its own; the data is written after the section that announces
// it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} Monitor;

Monitor monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
int ready;
int x;

static __attribute__((noinline)) void monitor_wait(Monitor* m) { pthread_cond_wait(&m->changed, &m->mutex); }

static void announces(void) {
  pthread_mutex_lock(&monitor.mutex);
  ready = 1;
  pthread_cond_signal(&monitor.changed);
  pthread_mutex_unlock(&monitor.mutex);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  pthread_mutex_lock(&monitor.mutex);
  while (!ready) monitor_wait(&monitor);
  pthread_mutex_unlock(&monitor.mutex);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
