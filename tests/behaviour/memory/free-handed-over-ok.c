// A block is handed over by a semaphore to the thread that frees it.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <stdlib.h>

#include "order.h"

sem_t ready;
int* block;

static void fills(void) {
  block = malloc(10 * sizeof *block);
  for (int i = 0; i < 10; i++) block[i] = i;
  sem_post(&ready);
}

static void frees(void) {
  sem_wait(&ready);
  free(block);
}

int main(void) {
  sem_init(&ready, 0, 0);
  run_two(fills, frees);
}
