// Flag: the waiter touches the data before it waits.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  flag = 1;
}

static void waits(void) {
  x = 2;  // RACE: observed x
  while (!flag) {
  }
}

int main(void) { meet(waits, sets); }
