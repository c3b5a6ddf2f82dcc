// The wait is in a function of its own, which knows the condition variable as a member.
// NORACE
// RUN: %check-loops %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int x;

struct Event {
  int unused;
  pthread_cond_t* other;
  pthread_cond_t* changed;
};

__attribute__((noinline)) static void wait_once(pthread_mutex_t* m, pthread_cond_t* c) { pthread_cond_wait(c, m); }
__attribute__((noinline)) static void wait_for_change(void) { wait_once(&mutex, &changed); }

static void signals(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void comes_late(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  while (!ready) wait_for_change();
  pthread_mutex_unlock(&mutex);
  x = 2;
}

int main(void) { run_two(signals, comes_late); }
