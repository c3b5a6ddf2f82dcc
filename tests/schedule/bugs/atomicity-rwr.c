// Each access is locked, but the test and the use of the pointer are not one: it is cleared in between.
// BUG: kind=atomicity-rwr preemptions=1 threads=2 shows=crash finding=atomicity:current
// FOUND-BY: random race-directed pct pos
// CONFIRMED: 0.3 (who goes first is a coin's, and one order does harm)
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value = 7;
static int* current = &value;

static int* get(void) {
  pthread_mutex_lock(&mutex);
  int* got = current;
  pthread_mutex_unlock(&mutex);
  return got;
}

static void* use(void* unused) {
  if (get() != NULL) {
    step(0);
    step(3);
    *get() = 8;
  }
  return unused;
}

static void* clear(void* unused) {
  step(1);
  pthread_mutex_lock(&mutex);
  current = NULL;
  pthread_mutex_unlock(&mutex);
  step(2);
  return unused;
}

int main(void) { RUN(use, clear); }
