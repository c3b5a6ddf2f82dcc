// The last unlock of a recursive mutex releases it, and the access comes after.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex;
int x;

static void first(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  x = 2;  // RACE: observed x
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
  run_two(first, second);
}
