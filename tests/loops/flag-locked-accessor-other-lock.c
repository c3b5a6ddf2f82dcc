// Flag under a lock: a function takes its lock to look; who sets the flag takes another one.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
int flag;
int x;

static __attribute__((noinline)) int is_set(void) {
  pthread_mutex_lock(&second);
  const int copy = flag;  // RACE: observed flag
  pthread_mutex_unlock(&second);
  return copy;
}

static void sets(void) {
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&first);
  flag = 1;  // RACE: observed flag
  pthread_mutex_unlock(&first);
}

static void waits(void) {
  while (!is_set()) sched_yield();
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
