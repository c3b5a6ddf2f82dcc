// Condition variable: a hand-made semaphore that hands over data.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int value;
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

static void gives(void) {
  x = 1;
  post();
}

static void takes(void) {
  wait_for_post();
  x = 2;
}

int main(void) { meet(takes, gives); }
