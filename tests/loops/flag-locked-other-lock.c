// Flag under a lock: it is set under one lock and polled under another, and neither orders anything.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&first);
  flag = 1;  // RACE: observed flag
  pthread_mutex_unlock(&first);
}

static void waits(void) {
  int copy = 0;
  while (!copy) {
    pthread_mutex_lock(&second);
    copy = flag;  // RACE: observed flag
    pthread_mutex_unlock(&second);
    sched_yield();
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
