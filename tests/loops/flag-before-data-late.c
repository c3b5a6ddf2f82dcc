// Flag: set before the data is written. The waiter comes when both are done.
// KNOWN: the first wait for a flag stands for all that its writer did in that segment: missed
// ARRIVAL: counterpart
// RUN: %check %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!flag) {
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
