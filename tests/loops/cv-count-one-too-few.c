// Condition variable: the waiter waits for one of two producers and uses the data of both.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int count;
int x, y;

static void first(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  count++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void waits(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  while (count < 1) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;
  y++;  // RACE: observed y
  end_turn();
}

static void second(void) {
  await_turn(2);
  y = 1;  // RACE: observed y
  pthread_mutex_lock(&mutex);
  count++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  const Body bodies[] = {first, waits, second};
  run_many(bodies, 3);
}
