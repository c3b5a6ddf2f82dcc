// Home-made condition variable; the data is written after the section that announces it.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile unsigned sequence;
int ready;
int x;

static void own_wait(void) {
  const unsigned before = sequence;
  pthread_mutex_unlock(&mutex);
  while (sequence == before) sched_yield();
  pthread_mutex_lock(&mutex);
}

static void own_broadcast(void) { sequence = sequence + 1; }

static void announces(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  own_broadcast();
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) own_wait();
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
