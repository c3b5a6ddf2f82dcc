// Condition variable: nobody signals. The waiter wakes up now and then by itself and looks at the condition, which
// alone ends the loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <time.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 100000;
    if (limit.tv_nsec >= 1000000000) {
      limit.tv_nsec -= 1000000000;
      limit.tv_sec++;
    }
    pthread_cond_timedwait(&changed, &mutex, &limit);
  }
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { meet(waits, announces); }
