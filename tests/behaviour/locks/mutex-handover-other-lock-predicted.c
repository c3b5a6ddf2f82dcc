// One mutex orders the accesses by accident; the mutexes held at the accesses differ.
// RUN: %check %s

#include "order.h"

pthread_mutex_t between = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
int x;

static void first(void) {
  pthread_mutex_lock(&left);
  x = 1;  // RACE: predicted x
  pthread_mutex_unlock(&left);
  pthread_mutex_lock(&between);
  pthread_mutex_unlock(&between);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&between);
  pthread_mutex_unlock(&between);
  pthread_mutex_lock(&right);
  x = 2;  // RACE: predicted x
  pthread_mutex_unlock(&right);
}

int main(void) { run_two(first, second); }
