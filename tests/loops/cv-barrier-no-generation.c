// Condition variable: a barrier that forgets to start afresh: the second time nobody waits there.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int arrived;
int x;

static void barrier(void) {
  pthread_mutex_lock(&mutex);
  arrived++;
  pthread_cond_broadcast(&changed);
  while (arrived < 2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  barrier();
  barrier();
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  barrier();
  await_turn(1);
  x++;  // RACE: observed x
  barrier();
}

int main(void) { run_two(first, second); }
