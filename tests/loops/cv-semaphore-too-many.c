// Condition variable: a hand-made semaphore that starts with one too many.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int value = 1;
int x;

static void post(void) {
  pthread_mutex_lock(&mutex);
  value++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void wait_for_post(void) {
  pthread_mutex_lock(&mutex);
  while (value == 0) pthread_cond_wait(&changed, &mutex);
  value--;
  pthread_mutex_unlock(&mutex);
}

static void takes(void) {
  wait_for_post();
  x = 2;  // RACE: observed x
  end_turn();
}

static void gives(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
  post();
}

int main(void) { run_two(takes, gives); }
