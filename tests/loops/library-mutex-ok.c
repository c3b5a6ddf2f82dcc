// Library: a counter under a mutex.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x;

static void work(void) {
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) { run_two(work, work); }
