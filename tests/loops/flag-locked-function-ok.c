// Flag under a lock: read by a function that takes the lock and returns what it saw.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <unistd.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
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
  while (!is_set()) usleep(10);
  x = 2;
}

int main(void) { meet(waits, sets); }
