// A state passes through an intermediate value that nobody should see; the lock is given back in between.
// BUG: kind=atomicity-wrw preemptions=1 threads=2 shows=assertion finding=atomicity:state
// FOUND-BY: random race-directed pct pos
// CONFIRMED: 0.3 (who goes first is a coin's, and one order does harm)
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

enum { kIdle, kHalfOpen, kOpen };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state = kIdle;

static void set(int to) {
  pthread_mutex_lock(&mutex);
  state = to;
  pthread_mutex_unlock(&mutex);
}

static void* open_it(void* unused) {
  set(kHalfOpen);
  step(0);
  step(3);
  set(kOpen);
  return unused;
}

static void* look(void* unused) {
  step(1);
  pthread_mutex_lock(&mutex);
  int seen = state;
  pthread_mutex_unlock(&mutex);
  assert(seen != kHalfOpen);
  step(2);
  return unused;
}

int main(void) { RUN(open_it, look); }
