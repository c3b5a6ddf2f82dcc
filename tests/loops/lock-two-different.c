// Home-made locks: each thread takes another one.
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static int taken[2];
int x;

static void lock(int* it) {
  while (__atomic_exchange_n(it, 1, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock(int* it) { __atomic_store_n(it, 0, __ATOMIC_RELEASE); }

static void first(void) {
  lock(&taken[0]);
  x++;  // RACE: observed x
  unlock(&taken[0]);
}

static void second(void) {
  lock(&taken[1]);
  x++;  // RACE: observed x
  unlock(&taken[1]);
}

int main(void) { run_two(first, second); }
