// A queue under a mutex, polled: take fails as long as the queue is empty, and the loop tries again.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int* items[4];
int count;
int x;

static void put(int* item) {
  pthread_mutex_lock(&mutex);
  items[count++] = item;
  pthread_mutex_unlock(&mutex);
}

static int try_take(int** item) {
  int taken = 0;
  pthread_mutex_lock(&mutex);
  if (count > 0) {
    *item = items[--count];
    taken = 1;
  }
  pthread_mutex_unlock(&mutex);
  return taken;
}

static void produces(void) {
  x = 1;
  put(&x);
}

static void consumes(void) {
  int* item;
  while (!try_take(&item)) sched_yield();
  *item = 2;
}

int main(void) { meet(consumes, produces); }
