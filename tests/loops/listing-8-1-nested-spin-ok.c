// Thesis, listing 8.1: a nested spinning read loop.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int FLAG1 = 1, FLAG2 = 1, FLAG3 = 1;
int DATA;

static void sets(void) {
  DATA = 1;
  FLAG3 = 0;
  FLAG2 = 0;
  FLAG1 = 0;
}

static void waits(void) {
  while (FLAG1) {
    while (FLAG2) {
      while (FLAG3) {
        /* do_nothing */
      }
    }
  }
  DATA++;
}

int main(void) { meet(waits, sets); }
