// Flag: of another translation unit; the data is written after the flag.
// ALSO: Inputs/other-flag.c
// ARRIVAL: both
// RUN: %check-lto %s
// RUN: %check-whole-program %s

#include "Inputs/other-flag.h"
#include "arrival.h"

int x;

static void sets(void) {
  other_flag_set();
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!other_flag_is_set()) {
  }
  x = 2;  // RACE: observed x
}

int main(void) {
  meet(waits, sets);
  return x == 0;  // so that x is needed when the whole program is known
}
