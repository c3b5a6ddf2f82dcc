// Thesis, figure 7.4: the pattern of a spinning read loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int CONDITION;
int X;

static void thread_1(void) {
  X++;
  CONDITION = 1;
}

static void thread_2(void) {
  while (!CONDITION) { /* do nothing */
  }
  X--;
}

int main(void) { meet(thread_2, thread_1); }
