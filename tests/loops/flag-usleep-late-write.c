// Flag: sleeps in the loop; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <unistd.h>

#include "arrival.h"

int flag;
int x;

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!flag) usleep(10);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
