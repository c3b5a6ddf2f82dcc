// A waiter does not hold its mutex while it waits, and what it wrote before is protected all the same.
// NORACE
// UNORDERED: deadlock: x is set back to 1 after the signal
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void waits(void) {
  pthread_mutex_lock(&mutex);
  x = 1;
  end_turn();
  while (x == 1) pthread_cond_wait(&changed, &mutex);
  x = 3;
  pthread_mutex_unlock(&mutex);
}

static void signals(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  x = 2;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  run_two(waits, signals);
  return x != 3;
}
