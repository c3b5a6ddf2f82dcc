// Thesis, figure 6.3 without its race: two conditions share one condition variable, each pair has its own data.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1, FLAG2;
int X, Y;

static void s1(void) {
  X = 1;
  pthread_mutex_lock(&mutex);
  FLAG1 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void s2(void) {
  Y = 1;
  pthread_mutex_lock(&mutex);
  FLAG2 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void w1(void) {
  pthread_mutex_lock(&mutex);
  while (!FLAG1) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  X++;
}

static void w2(void) {
  pthread_mutex_lock(&mutex);
  while (!FLAG2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  Y++;
}

int main(void) {
  const Body waiters[] = {w1, w2};
  const Body signallers[] = {s1, s2};
  meet_many(waiters, 2, signallers, 2);
}
