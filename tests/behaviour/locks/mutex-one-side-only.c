// A mutex that only one of the two sides takes orders nothing.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void locked(void) {
  pthread_mutex_lock(&mutex);
  x = 1;  // RACE: observed x
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void unlocked(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(locked, unlocked); }
