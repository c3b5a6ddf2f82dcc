// Thesis, figure 7.2: an apparent race on DATA and a synchronization race on FLAG; neither is to be reported.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int FLAG = 0;
int DATA = 0;
int printed;

static void thread_1(void) {
  DATA++;
  FLAG = 1;
}

static void thread_2(void) {
  while (FLAG == 0) { /* do nothing */
  }
  printed = DATA;
}

int main(void) { meet(thread_2, thread_1); }
