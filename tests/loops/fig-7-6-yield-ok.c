// Thesis, figure 7.6, word for word: the parent spins with sched_yield until the worker has cleared the flag.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>
#include <stddef.h>

#include "arrival.h"

volatile int spinlock = 1;
int done;
// worker thread
static void* run_pm(void* arg) {
  (void)arg;
  done = 1;
  spinlock = 0;
  return NULL;
}

// parent thread
int main(void) {
  pthread_t threadid;
  pthread_create(&threadid, NULL, &run_pm, NULL);
  while (spinlock != 0) {
    sched_yield();
  }
  done++;
  pthread_join(threadid, NULL);
  return done - 2;
}
