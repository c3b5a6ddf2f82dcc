// A post comes before the wait that it lets through.
// NORACE
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

sem_t filled;
int x;

static void produces(void) {
  x = 1;
  sem_post(&filled);
}

static void consumes(void) {
  sem_wait(&filled);
  x++;
}

int main(void) {
  sem_init(&filled, 0, 0);
  run_two(produces, consumes);
  sem_destroy(&filled);
  return x != 2;
}
