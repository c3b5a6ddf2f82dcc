// Flag: bits of one word, set atomically by two threads; the waiter waits for both.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile unsigned flags;
int x, y;

static void first(void) {
  x = 1;
  __sync_fetch_and_or(&flags, 1);
}

static void second(void) {
  y = 1;
  __sync_fetch_and_or(&flags, 2);
}

static void waits(void) {
  while (flags != 3) {
  }
  x++;
  y++;
}

int main(void) { meet_two(waits, first, second); }
