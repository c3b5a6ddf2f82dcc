// Flag: the loop's condition is a function; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int flag;
int x;

static __attribute__((noinline)) int is_set(void) { return flag; }
static __attribute__((noinline)) void set(void) { flag = 1; }

static void sets(void) {
  set();
  x = 1;  // RACE: observed x
}

static void waits(void) {
  while (!is_set()) {
  }
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, sets); }
