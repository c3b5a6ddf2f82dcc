// Flag: sleeps in the loop; the flag is not volatile, the call keeps the load in the loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <unistd.h>

#include "arrival.h"

int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  while (!flag) usleep(10);
  x = 2;
}

int main(void) { meet(waits, sets); }
