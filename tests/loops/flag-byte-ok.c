// Flag: a byte, with other bytes beside it that are somebody else's.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

struct {
  char before;
  volatile char flag;
  char after;
} bytes;

int x;

static void sets(void) {
  bytes.before = 1;
  x = 1;
  bytes.flag = 1;
}

static void waits(void) {
  bytes.after = 1;
  while (!bytes.flag) {
  }
  x = 2 + bytes.before;
}

int main(void) { meet(waits, sets); }
