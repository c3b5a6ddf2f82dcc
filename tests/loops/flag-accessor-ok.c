// Flag: the loop's condition is a function that is not inlined.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int flag;
int x;

static __attribute__((noinline)) int is_set(void) { return flag; }
static __attribute__((noinline)) void set(void) { flag = 1; }

static void sets(void) {
  x = 1;
  set();
}

static void waits(void) {
  while (!is_set()) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
