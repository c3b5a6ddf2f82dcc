// Flag: main waits for detached threads by their flags alone.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include <stddef.h>

#include "arrival.h"

volatile int done[2];
int results[2];

static void* work(void* argument) {
  const long me = (long)argument;
  results[me] = (int)me + 1;
  done[me] = 1;
  return NULL;
}

int main(void) {
  for (long i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void*)i);
    pthread_detach(thread);
  }
  while (!done[0]) {
  }
  while (!done[1]) {
  }
  return results[0] + results[1] - 3;
}
