// The accesses are ordered by one mutex and protected by another: no schedule brings them together.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t between = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
int x;

static void first(void) {
  pthread_mutex_lock(&around);
  x = 1;
  pthread_mutex_unlock(&around);
  pthread_mutex_lock(&between);
  pthread_mutex_unlock(&between);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&between);
  pthread_mutex_unlock(&between);
  pthread_mutex_lock(&around);
  x = 2;
  pthread_mutex_unlock(&around);
}

int main(void) { run_two(first, second); }
