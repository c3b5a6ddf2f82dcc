// Flag under a lock: an endless loop that copies the flag into a local (thesis, figure 7.10, in another form).
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
  while (1) {
    pthread_mutex_lock(&mutex);
    const int copy = flag;
    pthread_mutex_unlock(&mutex);
    if (copy) break;
    sched_yield();
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
