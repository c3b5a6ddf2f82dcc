// Flag: eight bytes.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile long long flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1LL << 40;
}

static void waits(void) {
  while (flag == 0) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
