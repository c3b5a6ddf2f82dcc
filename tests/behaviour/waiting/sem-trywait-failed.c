// A try that the semaphore refused orders nothing.
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

sem_t filled;
int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
  await_turn(2);
  sem_post(&filled);
}

static void second(void) {
  await_turn(1);
  if (sem_trywait(&filled) != 0) x = 2;  // RACE: observed x
  end_turn();
}

int main(void) {
  sem_init(&filled, 0, 0);
  run_two(first, second);
}
