// What the first thread does after it gave up the lock is not handed over.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int state;
int x;
int late;

static void first(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  state = 1;
  pthread_mutex_unlock(&mutex);
  late = 1;  // RACE: predicted late
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  const int seen = state;
  pthread_mutex_unlock(&mutex);
  if (seen) x = 2;
  if (seen) late = 2;  // RACE: predicted late
}

int main(void) { run_two(first, second); }
