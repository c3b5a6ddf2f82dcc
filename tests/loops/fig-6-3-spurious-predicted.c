// Thesis, figure 6.3 and 6.6, executed in the order S1, S2, W2, W1: W2 waits for FLAG2 and touches X, which belongs to
// S1 and W1. Only the mutex orders S1 and W2 here; a relation by the condition variable alone would hide the race.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1, FLAG2;
int X, Y;
int seen_by_w1, seen_by_w2;

static void s1(void) {
  X = 1;  // RACE: predicted X
  pthread_mutex_lock(&mutex);
  FLAG1 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void s2(void) {
  await_turn(1);
  Y = 1;
  pthread_mutex_lock(&mutex);
  FLAG2 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void w2(void) {
  await_turn(2);
  pthread_mutex_lock(&mutex);
  while (!FLAG2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  Y++;
  seen_by_w2 = X;  // RACE: predicted X
  end_turn();
}

static void w1(void) {
  await_turn(3);
  pthread_mutex_lock(&mutex);
  while (!FLAG1) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  seen_by_w1 = X;
}

int main(void) {
  const Body bodies[] = {s1, s2, w2, w1};
  run_many(bodies, 4);
}
