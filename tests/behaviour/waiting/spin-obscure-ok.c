// The flag is copied into a local under a lock, and the local ends the loop (thesis figure 7.10).
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first, second;

static void sets(void) {
  early = 1;
  pthread_mutex_lock(&lock);
  first = 1;
  pthread_mutex_unlock(&lock);
  end_turn();
  await_turn(2);
  late = 1;
  pthread_mutex_lock(&lock);
  second = 1;
  pthread_mutex_unlock(&lock);
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  int c;
  do {
    pthread_mutex_lock(&lock);
    c = first;
    pthread_mutex_unlock(&lock);
    come_round(&rounds);
  } while (!c);
  early = 2;
  c = 0;
  while (!c) {
    pthread_mutex_lock(&lock);
    if (second) c = 1;
    pthread_mutex_unlock(&lock);
    come_round(&rounds);
  }
  late = 2;
}

int main(void) { run_two(sets, waits); }
