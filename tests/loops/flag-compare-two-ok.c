// Flag: the loop compares two words of memory, one of which stays as it is.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int target = 5, reached;
int x;

static void sets(void) {
  x = 1;
  reached = 5;
}

static void waits(void) {
  while (reached != target) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
