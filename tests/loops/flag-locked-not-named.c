// Flag under a lock, polled: it is no flag, but data that a lock guards.
// NORACE
// NO-FLAGS
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int flag;
int x;

static __attribute__((noinline)) int is_set(void) {
  pthread_mutex_lock(&mutex);
  const int copy = flag;
  pthread_mutex_unlock(&mutex);
  return copy;
}

static void sets(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  while (!is_set()) sched_yield();
  x = 2;
}

int main(void) { meet(waits, sets); }
