// Flag: an array of flags, waited for one after the other by a loop around the loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 2 };
volatile int flags[N];
int parts[N];
int sum;

static void first(void) {
  parts[0] = 1;
  flags[0] = 1;
}

static void second(void) {
  parts[1] = 2;
  flags[1] = 1;
}

static void waits(void) {
  for (int i = 0; i < N; ++i) {
    while (!flags[i]) {
    }
    sum += parts[i];
  }
}

int main(void) { meet_two(waits, first, second); }
