// Only the accident that the first thread took the mutex first orders the accesses.
// ENGINES: hb hybrid
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
