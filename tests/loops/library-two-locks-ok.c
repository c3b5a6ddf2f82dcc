// Library: each access holds one of two locks or both, and every pair has one in common (data-race-test's style).
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void first(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&other);
  x++;
  y++;
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&mutex);
}

static void second(void) {
  pthread_mutex_lock(&mutex);
  x++;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&other);
  y++;
  pthread_mutex_unlock(&other);
}

int main(void) { run_two(first, second); }
