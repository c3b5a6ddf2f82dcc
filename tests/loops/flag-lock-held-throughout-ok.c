// Flag: the waiter holds a lock of its own all the while it spins, which cannot be the flag's.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!flag) sched_yield();
  x = 2;
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet(waits, sets); }
