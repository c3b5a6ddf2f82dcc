// Flag under a lock, and no loop: who does not see the flag does not touch the data.
// NORACE
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag;
int x;

static void sets(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void looks(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  const int copy = flag;
  pthread_mutex_unlock(&mutex);
  if (copy) x = 2;
}

int main(void) { run_two(sets, looks); }
