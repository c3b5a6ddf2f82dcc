// What is written under two locks is protected by either, also when the two are held together for the first time.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void first(void) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  x++;
  y++;
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&outer);
  x++;
  pthread_mutex_unlock(&outer);
  pthread_mutex_lock(&inner);
  y++;
  pthread_mutex_unlock(&inner);
}

int main(void) { run_two(first, second); }
