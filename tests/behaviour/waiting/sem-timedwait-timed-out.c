// A timed wait on the semaphore timed out and goes on.
// RUN: %check %s

#include <semaphore.h>
#include <time.h>

#include "order.h"

sem_t filled;
int x;

static void gives_up(void) {
  struct timespec past = {0, 0};
  if (sem_timedwait(&filled, &past) != 0) x = 1;  // RACE: observed x
  end_turn();
}

static void produces(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  sem_post(&filled);
}

int main(void) {
  sem_init(&filled, 0, 0);
  run_two(gives_up, produces);
}
