// Condition variables: the waiter waits for `filled` and uses what belongs to `open_now`, whose condition variable is
// another one.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_cond_t filled_changed = PTHREAD_COND_INITIALIZER;
int open_now, filled;
int x;

static void fills(void) {
  pthread_mutex_lock(&mutex);
  filled = 1;
  pthread_cond_signal(&filled_changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void waits(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  while (!filled) pthread_cond_wait(&filled_changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;  // RACE: observed x
  end_turn();
}

static void opens(void) {
  await_turn(2);
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&mutex);
  open_now = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  const Body bodies[] = {fills, waits, opens};
  run_many(bodies, 3);
}
