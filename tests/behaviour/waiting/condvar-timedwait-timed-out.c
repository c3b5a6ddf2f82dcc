// A wait that timed out was not signalled: nothing orders it, though it took its mutex back.
// RUN: %check %s

#include <errno.h>
#include <time.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void waits(void) {
  await_turn(1);
  struct timespec past = {0, 0};
  pthread_mutex_lock(&mutex);
  int outcome = pthread_cond_timedwait(&changed, &mutex, &past);
  pthread_mutex_unlock(&mutex);
  if (outcome == ETIMEDOUT) x = 2;  // RACE: observed x
}

static void signals(void) {
  x = 1;  // RACE: observed x
  pthread_cond_signal(&changed);
  end_turn();
}

int main(void) { run_two(waits, signals); }
