// Flag: a loop with its first rounds peeled off; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  if (flag) goto go_on;
  if (flag) goto go_on;
  while (!flag) {
  }
go_on:
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
