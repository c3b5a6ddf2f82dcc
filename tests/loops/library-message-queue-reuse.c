// Library: the sender changes a message after it has sent it.
// RUN: %check %s --levels=-O0,-O2

#include <semaphore.h>

#include "arrival.h"

sem_t count;
int message;
int* queue;

static void sends(void) {
  message = 1;
  queue = &message;
  sem_post(&count);
  message = 2;  // RACE: observed message
  end_turn();
}

static void receives(void) {
  await_turn(1);
  sem_wait(&count);
  *queue = 3;  // RACE: observed message
}

int main(void) {
  sem_init(&count, 0, 0);
  run_two(sends, receives);
}
