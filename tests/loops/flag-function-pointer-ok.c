// Flag: the loop's condition is called through a pointer (thesis, section 8.5.2.1).
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

static volatile int flag;
int x;

static int is_set(void) { return flag; }
int (*volatile condition)(void);

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  int (*const is_done)(void) = condition;
  while (!is_done()) {
  }
  x = 2;
}

int main(void) {
  condition = is_set;
  meet(waits, sets);
}
