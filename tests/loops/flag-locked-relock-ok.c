// Flag under a lock: the lock is held at the test, and let go of in the loop's body.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag;
int x;

static void sets(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!flag) {
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { meet(waits, sets); }
