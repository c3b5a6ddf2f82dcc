// Reader and writer locks got by trying are locks.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  for (int i = 0; i < 100; i++) {
    while (pthread_rwlock_trywrlock(&lock) != 0) sched_yield();
    x++;
    pthread_rwlock_unlock(&lock);
  }
}

static void reads(void) {
  for (int i = 0; i < 100; i++) {
    while (pthread_rwlock_tryrdlock(&lock) != 0) sched_yield();
    if (x > 50) seen++;
    pthread_rwlock_unlock(&lock);
  }
}

int main(void) { run_two(writes, reads); }
