// Thesis, figure 7.10: the condition is copied under a lock into a local, which the loop tests. (The figure's `while
// (c)` is read as `while (!c)`: as printed, the thread would spin for ever once COND is set, and never reach X = 2.)
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <unistd.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int COND = 0;
int X;

static void thread_1(void) {
  X = 1;
  pthread_mutex_lock(&mutex);
  COND = 1;
  pthread_mutex_unlock(&mutex);
}

static void thread_2(void) {
  int c;
  do {
    pthread_mutex_lock(&mutex);
    c = COND;
    pthread_mutex_unlock(&mutex);
    usleep(10);
  } while (!c);
  if (c) {
    X = 2;
  }
}

int main(void) { meet(thread_2, thread_1); }
