// Flag: one bit of a word.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile unsigned flags = 3;
int x;

static void sets(void) {
  x = 1;
  flags |= 4;
}

static void waits(void) {
  while ((flags & 4) == 0) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
