// Reader and writer locks with a deadline on a clock of one's choice.
// NORACE
// RUN: %check %s

#include <time.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 60;
  for (int i = 0; i < 100; i++) {
    if (pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline) != 0) continue;
    x++;
    pthread_rwlock_unlock(&lock);
  }
}

static void reads(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 60;
  for (int i = 0; i < 100; i++) {
    if (pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline) != 0) continue;
    if (x > 50) seen++;
    pthread_rwlock_unlock(&lock);
  }
}

int main(void) { run_two(writes, reads); }
