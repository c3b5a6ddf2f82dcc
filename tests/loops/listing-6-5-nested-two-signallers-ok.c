// Thesis, listing 6.5: the inner and the outer condition are ended by two threads, and both are waited for.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <stdbool.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool busy = true, that = true;
int X, Y;

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (busy || that) {
    while (that) {
      pthread_cond_wait(&changed, &mutex);
    }
    if (busy) pthread_cond_wait(&changed, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  X++;
  Y++;
}

static void ends_that(void) {
  X = 1;
  pthread_mutex_lock(&mutex);
  that = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void ends_busy(void) {
  Y = 1;
  pthread_mutex_lock(&mutex);
  busy = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { meet_two(waits, ends_that, ends_busy); }
