// Library: the first access stands before the section, the second in it.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int x, y;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  y = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  y = 2;
  x = 2;  // RACE: predicted x
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(first, second); }
