// Who fills the block is not who allocated it: its writes are not the first that are done to it. The one who allocated
// it reads it, and only the accident that the lock was free orders the two.
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
sem_t given;
int* block;
int seen;

static void first(void) {
  block = malloc(sizeof *block);
  sem_post(&given);
  await_turn(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  seen = *block;  // RACE: predicted <block>
}

static void second(void) {
  sem_wait(&given);
  *block = 1;  // RACE: predicted <block>
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

int main(void) {
  sem_init(&given, 0, 0);
  run_two(first, second);
}
