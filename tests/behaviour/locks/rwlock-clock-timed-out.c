// A reader lock with a deadline on the monotonic clock that timed out is no lock.
// RUN: %check %s

#include <errno.h>
#include <time.h>

#include "order.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;
int seen;

static void writes(void) {
  pthread_rwlock_wrlock(&lock);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  pthread_rwlock_unlock(&lock);
}

static void gives_up(void) {
  await_turn(1);
  struct timespec past = {0, 0};
  if (pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT) seen = x;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(writes, gives_up); }
