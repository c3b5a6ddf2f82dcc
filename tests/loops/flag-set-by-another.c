// Flag: set by another thread than the one that writes the data, and nothing orders these two.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void writes(void) {
  x = 1;  // RACE: observed x
}

static void sets(void) { flag = 1; }

static void waits(void) {
  while (!flag) {
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet_two(waits, writes, sets); }
