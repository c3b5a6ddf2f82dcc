// Condition variable: a latch that two threads count down.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int left = 2;
int x, y;

static void count_down(void) {
  pthread_mutex_lock(&mutex);
  if (--left == 0) pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  x = 1;
  count_down();
}

static void second(void) {
  y = 1;
  count_down();
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (left != 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;
  y++;
}

int main(void) { meet_two(waits, first, second); }
