// Both hold the lock, but as readers: that protects no write.
// RUN: %check %s

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  pthread_rwlock_rdlock(&lock);
  x = 1;  // RACE: observed x
  pthread_rwlock_unlock(&lock);
  end_turn();
}

static void reads(void) {
  await_turn(1);
  pthread_rwlock_rdlock(&lock);
  seen = x;  // RACE: observed x
  pthread_rwlock_unlock(&lock);
}

int main(void) { run_two(writes, reads); }
