// Flag under a lock, polled: one of its writes is made without the lock.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int items;

static void produces(void) {
  pthread_mutex_lock(&mutex);
  items++;
  pthread_mutex_unlock(&mutex);
  items++;  // RACE: observed items
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (items == 0) {  // RACE: observed items
    pthread_mutex_unlock(&mutex);
    sched_yield();
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet(waits, produces); }
