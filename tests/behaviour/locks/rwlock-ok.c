// Writers under the writer lock, readers under the reader lock.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  for (int i = 0; i < 100; i++) {
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
  }
}

static void reads(void) {
  for (int i = 0; i < 100; i++) {
    pthread_rwlock_rdlock(&lock);
    if (x > 50) seen++;
    pthread_rwlock_unlock(&lock);
  }
}

int main(void) { run_two(writes, reads); }
