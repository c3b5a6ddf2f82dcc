// A try for the writer lock that failed takes nothing.
// RUN: %check %s

#include <errno.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void reads(void) {
  pthread_rwlock_rdlock(&lock);
  seen = x;  // RACE: observed x
  end_turn();
  await_turn(2);
  pthread_rwlock_unlock(&lock);
}

static void writes(void) {
  await_turn(1);
  if (pthread_rwlock_trywrlock(&lock) == EBUSY) x = 1;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(reads, writes); }
