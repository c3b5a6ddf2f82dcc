// A timed lock that succeeds is a lock.
// NORACE
// RUN: %check %s

#include <time.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void add(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  for (int i = 0; i < 100; i++) {
    if (pthread_mutex_timedlock(&mutex, &deadline) != 0) continue;
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_two(add, add);
  return x != 200;
}
