// Thesis, figure 6.3: both wait; the broadcast of S1 wakes W2 too, which goes on waiting until S2 sets FLAG2, and then
// touches X. Nothing but the mutex orders S1 and W2.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int FLAG1, FLAG2;
int X, Y;
int seen_by_w1, seen_by_w2;

static void s1(void) {
  await_turn(2);
  X = 1;  // RACE: predicted X
  pthread_mutex_lock(&mutex);
  FLAG1 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void s2(void) {
  await_turn(4);
  Y = 1;
  pthread_mutex_lock(&mutex);
  FLAG2 = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void w1(void) {
  pthread_mutex_lock(&mutex);
  end_turn();
  while (!FLAG1) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  seen_by_w1 = X;
  end_turn();
}

static void w2(void) {
  pthread_mutex_lock(&mutex);
  end_turn();
  while (!FLAG2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  Y++;
  seen_by_w2 = X;  // RACE: predicted X
}

int main(void) {
  const Body bodies[] = {w1, w2, s1, s2};
  run_many(bodies, 4);
}
