// Thesis, figure 6.3, executed in the order S2, W2, S1, W1: W2 touches X before S1 does, and nothing orders them.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1, FLAG2;
int X, Y;
int seen_by_w1, seen_by_w2;

static void s2(void) {
  Y = 1;
  pthread_mutex_lock(&mutex);
  FLAG2 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void w2(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  while (!FLAG2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  Y++;
  seen_by_w2 = X;  // RACE: observed X
  end_turn();
}

static void s1(void) {
  await_turn(2);
  X = 1;  // RACE: observed X
  pthread_mutex_lock(&mutex);
  FLAG1 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
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
  const Body bodies[] = {s2, w2, s1, w1};
  run_many(bodies, 4);
}
