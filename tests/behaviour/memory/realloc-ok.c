// A block grows in one thread and is used by another after the join.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

int* block;

static void* grows(void* unused) {
  block = realloc(block, 100000);
  block[10000] = 1;
  return unused;
}

int main(void) {
  block = malloc(16);
  block[0] = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, grows, NULL);
  pthread_join(thread, NULL);
  int sum = block[0] + block[10000];
  free(block);
  return sum != 2;
}
