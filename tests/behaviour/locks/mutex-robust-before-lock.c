// The access comes before the robust mutex is taken over from its dead owner.
// RUN: %check %s

#include <errno.h>

#include "order.h"

pthread_mutex_t mutex;
int x;

static void dies_with_lock(void) {
  pthread_mutex_lock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
}

static void inherits(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  run_two(dies_with_lock, inherits);
}
