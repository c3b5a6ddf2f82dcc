// Flag: pauses longer and longer between two looks. The counter says how long, not when to go on.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  int rounds = 1;
  while (!flag) {
    for (int i = 0; i < rounds; ++i) __builtin_ia32_pause();
    if (rounds < 64) rounds *= 2;
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
