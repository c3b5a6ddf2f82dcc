// Flag under a lock: the loop gives up without having seen what it waits for, after a lock section of the other thread
// that has nothing to do with it: only the accident of the lock orders x.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int flag, other;
int x;

static void sets(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&mutex);
  other = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void waits(void) {
  await_turn(1);
  int copy = 0;
  for (int i = 0; i < 3 && !copy; ++i) {
    pthread_mutex_lock(&mutex);
    copy = flag;
    pthread_mutex_unlock(&mutex);
  }
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(sets, waits); }
