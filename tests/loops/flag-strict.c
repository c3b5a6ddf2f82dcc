// Flag: judged by the language alone it is a race, and orders nothing.
// OPTIONS: --strict
// TABLE: no
// NO-FLAGS
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;     // RACE: observed x
  flag = 1;  // RACE: observed flag
}

static void waits(void) {
  while (!flag) {  // RACE: observed flag
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
