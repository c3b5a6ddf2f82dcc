// What is written after the signal and the unlock is not ordered before the waiter.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void waits(void) {
  pthread_mutex_lock(&mutex);
  end_turn();
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  await_turn(2);
  x = 2;  // RACE: observed x
}

static void signals(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  x = 1;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(waits, signals); }
