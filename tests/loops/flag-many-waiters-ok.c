// Flag: three threads wait for one flag and read the data.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;
int seen[3];

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(int me) {
  while (!flag) {
  }
  seen[me] = x;
}

static void first(void) { waits(0); }
static void second(void) { waits(1); }
static void third(void) { waits(2); }

int main(void) {
  const Body waiters[] = {first, second, third};
  const Body counterpart = sets;
  meet_many(waiters, 3, &counterpart, 1);
}
