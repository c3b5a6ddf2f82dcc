// Library: readers and a writer.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen[2];

static void reads(int me) {
  for (int i = 0; i < 5; ++i) {
    pthread_rwlock_rdlock(&lock);
    seen[me] += x;
    pthread_rwlock_unlock(&lock);
  }
}

static void first(void) { reads(0); }
static void second(void) { reads(1); }

static void writes(void) {
  for (int i = 0; i < 5; ++i) {
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
  }
}

int main(void) {
  const Body bodies[] = {first, second, writes};
  run_many(bodies, 3);
}
