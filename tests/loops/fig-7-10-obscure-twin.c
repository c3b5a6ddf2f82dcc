// Thesis, figure 7.10 with a mistake: X is written after the lock that announces it was released.
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
  pthread_mutex_lock(&mutex);
  COND = 1;
  pthread_mutex_unlock(&mutex);
  X = 1;  // RACE: observed X
}

static void thread_2(void) {
  int c;
  do {
    pthread_mutex_lock(&mutex);
    c = COND;
    pthread_mutex_unlock(&mutex);
    usleep(10);
  } while (!c);
  X = 2;  // RACE: observed X
}

int main(void) { meet(thread_2, thread_1); }
