// Flag: sleeps in the loop, with a time that stands in memory.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <time.h>

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  const struct timespec pause = {0, 1000};
  while (!flag) nanosleep(&pause, NULL);
  x = 2;
}

int main(void) { meet(waits, sets); }
