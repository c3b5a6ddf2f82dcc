// Flag: the loop's condition is called through a pointer; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int flag;
int x;

static int is_set(void) { return flag; }
int (*volatile condition)(void);

static void sets(void) {
  flag = 1;
  x = 1;  // RACE: observed x
}

static void waits(void) {
  int (*const is_done)(void) = condition;
  while (!is_done()) {
  }
  x = 2;  // RACE: observed x
}

int main(void) {
  condition = is_set;
  meet(waits, sets);
}
