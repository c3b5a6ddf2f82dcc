// Library: a write under a reader's lock.
// RUN: %check %s

#include "arrival.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void writes(void) {
  pthread_rwlock_rdlock(&lock);
  x++;  // RACE: observed x
  pthread_rwlock_unlock(&lock);
}

int main(void) { run_two(writes, writes); }
