// The inner unlock of a recursive mutex does not release it.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex;
int x;

static void add(void) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
  run_two(add, add);
  return x != 200;
}
