// pthread_exit hands its value, and all before it, to the joiner.
// NORACE
// RUN: %check %s

#include "order.h"

int x;

static void leaves(void) {
  x = 5;
  pthread_exit(&x);
}

static void* runs(void* unused) {
  leaves();
  return unused;
}

int main(void) {
  pthread_t thread;
  void* value;
  pthread_create(&thread, NULL, runs, NULL);
  pthread_join(thread, &value);
  return *(int*)value != 5;
}
