// Condition variables: who asked for the work looks at the result without waiting for its end.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int input, result;
int has_task, done;

static void asks(void) {
  input = 1;
  pthread_mutex_lock(&mutex);
  has_task = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  result++;  // RACE: observed result
}

static void worker(void) {
  pthread_mutex_lock(&mutex);
  while (!has_task) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  result = input * 2;  // RACE: observed result
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet(worker, asks); }
