// Flag: with --flags=race it is a race; what it guards is ordered all the same.
// OPTIONS: --flags=race
// TABLE: no
// NO-FLAGS
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;  // RACE: observed flag
}

static void waits(void) {
  while (!flag) {  // RACE: observed flag
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
