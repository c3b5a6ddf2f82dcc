// Condition variable: the waiter waits until both producers have counted, and uses the data of both.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int count;
int x, y;

static void first(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  count++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  y = 1;
  pthread_mutex_lock(&mutex);
  count++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (count < 2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;
  y++;
}

int main(void) { meet_two(waits, first, second); }
