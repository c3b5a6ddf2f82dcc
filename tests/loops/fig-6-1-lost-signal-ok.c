// Thesis, figures 6.1 and 6.2: whether the signal is lost or waited for, FLAG orders the accesses to DATA.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <stdbool.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool FLAG = false;
int DATA;

static void thread_1(void) {
  DATA = 1;
  pthread_mutex_lock(&mutex);
  FLAG = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void thread_2(void) {
  pthread_mutex_lock(&mutex);
  while (!FLAG) {
    pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  DATA = DATA + 1;
}

int main(void) { meet(thread_2, thread_1); }
