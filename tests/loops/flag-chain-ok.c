// Flag: handed on from thread to thread.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int a, b;
int x;

static void first(void) {
  x = 1;
  a = 1;
}

static void second(void) {
  while (!a) {
  }
  b = 1;
}

static void third(void) {
  while (!b) {
  }
  x = 2;
}

int main(void) {
  const Body waiters[] = {third, second};
  const Body counterpart = first;
  meet_many(waiters, 2, &counterpart, 1);
}
