// --handover=off: that the state was read under the lock counts for an accident.
// OPTIONS: --handover=off
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int state;
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  state = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  const int seen = state;
  pthread_mutex_unlock(&mutex);
  if (seen) x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
