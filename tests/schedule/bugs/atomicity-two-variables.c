// A table and its length each have their own locked region: a reader in between takes the new length with the old
// table.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=crash finding=none
// FOUND-BY: random pct pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int small[1] = {1}, large[2] = {1, 2};
static int* entries[2] = {&small[0], NULL};
static int length = 1;

static void* grow(void* unused) {
  pthread_mutex_lock(&mutex);
  length = 2;
  pthread_mutex_unlock(&mutex);
  step(0);
  step(3);
  pthread_mutex_lock(&mutex);
  entries[0] = &large[0];
  entries[1] = &large[1];
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* visit_all(void* unused) {
  step(1);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < length; ++i) *entries[i] += 1;
  pthread_mutex_unlock(&mutex);
  step(2);
  return unused;
}

int main(void) { RUN(grow, visit_all); }
