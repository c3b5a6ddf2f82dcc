// Creation orders what came before it, joining what the thread did.
// NORACE
// RUN: %check %s

#include "order.h"

int x;

static void* adds(void* unused) {
  x++;
  return unused;
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    x++;
    pthread_create(&thread, NULL, adds, NULL);
    pthread_join(thread, NULL);
  }
  return x != 8;
}
