// A try that failed takes nothing.
// RUN: %check %s

#include <errno.h>

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

static void tries(void) {
  await_turn(1);
  if (pthread_mutex_trylock(&mutex) == EBUSY) x = 2;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(holds, tries); }
