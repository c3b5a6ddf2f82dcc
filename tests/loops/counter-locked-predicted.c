// A count under a lock decides nothing: whoever comes first, both go on to touch x, and only the accident of the lock
// orders them.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int count;
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
