// A waiter comes after the signal that woke it.
// NORACE
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
  x++;
}

// Takes the mutex only after the waiter has it, so only when the waiter waits.
static void signals(void) {
  await_turn(1);
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(waits, signals); }
