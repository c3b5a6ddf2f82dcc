// The semaphore is posted before what it announces is written.
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

sem_t filled;
int x;

static void produces(void) {
  sem_post(&filled);
  x = 1;  // RACE: observed x
  end_turn();
}

static void consumes(void) {
  sem_wait(&filled);
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  sem_init(&filled, 0, 0);
  run_two(produces, consumes);
}
