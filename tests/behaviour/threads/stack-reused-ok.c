// Threads one after the other get the same stack from the C library: that is no sharing.
// NORACE
// RUN: %check %s

#include <string.h>

#include "order.h"

int sum;

static void* fills(void* unused) {
  volatile char local[4096];
  for (size_t i = 0; i < sizeof local; i++) local[i] = (char)i;
  end_turn();
  return unused;
}

int main(void) {
  for (int i = 0; i < 8; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, fills, NULL);
    pthread_detach(thread);
    await_turn(i + 1);
  }
}
