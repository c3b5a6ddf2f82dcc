// A loop without end that is left from its middle.
// NORACE
// RUN: %check-loops %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

static void signals(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void comes_late(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  for (;;) {
    if (ready) break;
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { run_two(signals, comes_late); }
