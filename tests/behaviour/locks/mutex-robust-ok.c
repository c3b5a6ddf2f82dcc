// Who gets a robust mutex from a dead owner comes after all that the owner did.
// NORACE
// RUN: %check %s

#include <errno.h>

#include "order.h"

pthread_mutex_t mutex;
int x;
int owner_died;

static void dies_with_lock(void) {
  pthread_mutex_lock(&mutex);
  x = 1;
  end_turn();
}

static void inherits(void) {
  await_turn(1);
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD) {
    owner_died = 1;
    pthread_mutex_consistent(&mutex);
  }
  x = 2;
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  run_two(dies_with_lock, inherits);
  return !owner_died;
}
