// Thesis, figure 1.7: inter-thread event notification; if Thread 1 finishes first, its signal is lost.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int COND;
int DATA;

static void thread_1(void) {
  DATA++;
  pthread_mutex_lock(&mutex);
  COND = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void thread_2(void) {
  pthread_mutex_lock(&mutex);
  while (COND != 1) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  DATA--;
}

int main(void) { meet(thread_2, thread_1); }
