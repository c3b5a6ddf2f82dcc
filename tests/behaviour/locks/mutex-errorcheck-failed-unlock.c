// Unlocking an error-checking mutex of another thread fails, and orders nothing.
// RUN: %check %s

#include <errno.h>

#include "order.h"

pthread_mutex_t mutex;
int x;

static void owner(void) {
  pthread_mutex_lock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  pthread_mutex_unlock(&mutex);
}

static void stranger(void) {
  await_turn(1);
  if (pthread_mutex_unlock(&mutex) == EPERM) x = 2;  // RACE: observed x
  end_turn();
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  run_two(owner, stranger);
}
