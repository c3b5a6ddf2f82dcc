// Flag: the loop turned inside out, as an optimiser would; the data is written after the flag.
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
  if (!flag) {
    do {
    } while (!flag);
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
