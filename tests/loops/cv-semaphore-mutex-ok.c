// Condition variable: a hand-made semaphore used as a mutex.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int value = 1;
int x;

static void leave(void) {
  pthread_mutex_lock(&mutex);
  value++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void enter(void) {
  pthread_mutex_lock(&mutex);
  while (value == 0) pthread_cond_wait(&changed, &mutex);
  value--;
  pthread_mutex_unlock(&mutex);
}

static void work(void) {
  for (int i = 0; i < 5; ++i) {
    enter();
    x++;
    leave();
  }
}

int main(void) { run_two(work, work); }
