// Flag under a lock: after three looks the loop gives up and goes on without having seen the flag.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag;
int x;

static void waits(void) {
  int copy = 0;
  for (int i = 0; i < 3 && !copy; ++i) {
    pthread_mutex_lock(&mutex);
    copy = flag;
    pthread_mutex_unlock(&mutex);
  }
  x = 2;  // RACE: observed x
  end_turn();
}

static void sets(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
  pthread_mutex_lock(&mutex);
  flag = 1;
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(waits, sets); }
