// A lock that is tried until it is free.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void work(void) {
  for (int i = 0; i < 5; ++i) {
    while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) { run_two(work, work); }
