// Timed reader and writer locks that succeed are locks.
// NORACE
// RUN: %check %s

#include <time.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  for (int i = 0; i < 100; i++) {
    if (pthread_rwlock_timedwrlock(&lock, &deadline) != 0) continue;
    x++;
    pthread_rwlock_unlock(&lock);
  }
}

static void reads(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  for (int i = 0; i < 100; i++) {
    if (pthread_rwlock_timedrdlock(&lock, &deadline) != 0) continue;
    if (x > 50) seen++;
    pthread_rwlock_unlock(&lock);
  }
}

int main(void) { run_two(writes, reads); }
