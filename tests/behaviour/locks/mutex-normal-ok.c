// A mutex held by both sides orders them.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static void add(void) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_two(add, add);
  return x != 200;
}
