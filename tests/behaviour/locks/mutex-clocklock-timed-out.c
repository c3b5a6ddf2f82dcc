// A lock with a deadline on the monotonic clock that timed out is no lock.
// RUN: %check %s

#include <errno.h>
#include <time.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void holds(void) {
  pthread_mutex_lock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  pthread_mutex_unlock(&mutex);
}

static void gives_up(void) {
  await_turn(1);
  struct timespec past = {0, 0};
  if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT) x = 2;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(holds, gives_up); }
