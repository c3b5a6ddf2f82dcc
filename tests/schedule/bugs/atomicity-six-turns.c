// Two threads hand a baton to and fro through a locked variable without waiting for each other. Only if they take
// turns six times without a gap do they reach the state that nobody thought of.
// BUG: kind=atomicity-multi preemptions=4 threads=2 shows=status finding=atomicity:baton
// RUN: %show %s
#include <stdlib.h>

#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int baton;

// Goes one further if it is this side's turn.
static void advance(int parity) {
  pthread_mutex_lock(&mutex);
  if (baton % 2 == parity) ++baton;
  pthread_mutex_unlock(&mutex);
}

static void* even(void* unused) {
  for (int i = 0; i < 3; ++i) {
    step(4 * i);
    advance(0);
    step(4 * i + 1);
  }
  return unused;
}

static void* odd(void* unused) {
  for (int i = 0; i < 3; ++i) {
    step(4 * i + 2);
    advance(1);
    step(4 * i + 3);
  }
  return unused;
}

int main(void) {
  RUN(even, odd);
  return baton < 6 ? 0 : 3;
}
