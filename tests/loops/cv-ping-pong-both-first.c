// Condition variable: by a slip both threads have the first turn.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn;
int x;

static void ping(void) {
  pthread_mutex_lock(&mutex);
  while (turn != 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;  // RACE: observed x
  end_turn();
}

static void pong(void) {
  pthread_mutex_lock(&mutex);
  while (turn != 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
  await_turn(2);
  x++;  // RACE: observed x
}

int main(void) { run_two(ping, pong); }
