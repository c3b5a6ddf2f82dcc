// Flag: set and read by functions of another translation unit (seen by link-time optimisation).
// ALSO: Inputs/other-flag.c
// NORACE
// ARRIVAL: both
// RUN: %check-lto %s
// RUN: %check-whole-program %s

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

int main(void) {
  meet(waits, sets);
  return x - 2;  // so that x is needed when the whole program is known
}
