// Condition variable: the loop is a template over its condition.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

template <typename Condition>
static void wait_until(Condition condition) {
  pthread_mutex_lock(&mutex);
  while (!condition()) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void announces() {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits() {
  wait_until([] { return ready != 0; });
  x = 2;
}

int main() { meet(waits, announces); }
