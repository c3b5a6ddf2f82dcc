// Home-made barrier: each thread has a flag for each phase; one thread collects and opens.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 3 };
static volatile int here[N];
static volatile int open_now;
int parts[N];
int sum;

static void member(int me) {
  parts[me] = me;
  here[me] = 1;
  while (!open_now) {
  }
  compiler_barrier();
  parts[me] += sum;
}

static void collector(void) {
  parts[0] = 5;
  for (int i = 1; i < N; ++i) {
    while (!here[i]) {
    }
  }
  compiler_barrier();
  for (int i = 0; i < N; ++i) sum += parts[i];
  open_now = 1;
}

static void first(void) { member(1); }
static void second(void) { member(2); }

int main(void) {
  const Body bodies[] = {collector, first, second};
  run_many(bodies, N);
}
