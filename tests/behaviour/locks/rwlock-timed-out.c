// A timed writer lock that timed out is no lock.
// RUN: %check %s

#include <errno.h>
#include <time.h>

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

static void gives_up(void) {
  await_turn(1);
  struct timespec past = {0, 0};
  if (pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT) x = 1;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(reads, gives_up); }
