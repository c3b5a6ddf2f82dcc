// Trying until the mutex is taken is as good as waiting for it.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void add(void) {
  for (int i = 0; i < 100; i++) {
    while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_two(add, add);
  return x != 200;
}
