// Flag: a loop with its first rounds peeled off.
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
  if (flag) goto go_on;
  if (flag) goto go_on;
  while (!flag) {
  }
go_on:
  x = 2;
}

int main(void) { meet(waits, sets); }
