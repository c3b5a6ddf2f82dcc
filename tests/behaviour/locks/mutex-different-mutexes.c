// Each side takes a mutex, but not the same one.
// RUN: %check %s

#include "order.h"

pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
int x;

static void first(void) {
  pthread_mutex_lock(&left);
  x = 1;  // RACE: observed x
  pthread_mutex_unlock(&left);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&right);
  x = 2;  // RACE: observed x
  pthread_mutex_unlock(&right);
}

int main(void) { run_two(first, second); }
