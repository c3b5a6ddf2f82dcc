// Library: create and join order what each thread did, and a second round of threads.
// NORACE
// RUN: %check %s

#include <stddef.h>

#include "arrival.h"

int cells[3];

static void* adds(void* cell) {
  ++*(int*)cell;
  return NULL;
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, adds, &cells[i]);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; ++i) cells[i]++;
  }
  return cells[0] + cells[1] + cells[2] - 12;
}
