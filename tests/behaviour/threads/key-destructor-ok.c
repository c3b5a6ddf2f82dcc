// The destructor of a thread's key runs in that thread, before who joins it.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_key_t key;
int x;

static void destroy(void* value) { *(int*)value += 1; }

static void* uses(void* unused) {
  pthread_setspecific(key, &x);
  return unused;
}

int main(void) {
  pthread_key_create(&key, destroy);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
    pthread_join(thread, NULL);
  }
  return x != 3;
}
