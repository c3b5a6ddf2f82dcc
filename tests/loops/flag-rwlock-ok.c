// Flag under a reader/writer lock.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int flag;
int x;

static void sets(void) {
  x = 1;
  pthread_rwlock_wrlock(&lock);
  flag = 1;
  pthread_rwlock_unlock(&lock);
}

static void waits(void) {
  int copy;
  do {
    pthread_rwlock_rdlock(&lock);
    copy = flag;
    pthread_rwlock_unlock(&lock);
    if (!copy) sched_yield();
  } while (!copy);
  x = 2;
}

int main(void) { meet(waits, sets); }
