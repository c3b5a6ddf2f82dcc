// A second lock of an error-checking mutex fails, and takes nothing that a second unlock would have to give back.
// NORACE
// RUN: %check %s

#include <errno.h>

#include "order.h"

pthread_mutex_t mutex;
int x;

static void add(void) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    if (pthread_mutex_lock(&mutex) == EDEADLK) x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  run_two(add, add);
  return x != 200;
}
