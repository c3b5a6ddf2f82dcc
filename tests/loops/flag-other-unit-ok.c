// Flag: set and read by functions of another translation unit (seen by link-time optimisation).
// ALSO: Inputs/other-flag.c
// NORACE
// ARRIVAL: both
// RUN: %check-lto %s

#include "Inputs/other-flag.h"
#include "arrival.h"

int x;

static void sets(void) {
  x = 1;
  other_flag_set();
}

static void waits(void) {
  while (!other_flag_is_set()) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
