// Flag: two threads wait for one flag and both write the data.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void first(void) {
  while (!flag) {
  }
  x = 2;  // RACE: observed x
}

static void second(void) {
  while (!flag) {
  }
  x = 3;  // RACE: observed x
}

int main(void) {
  const Body waiters[] = {first, second};
  const Body counterpart = sets;
  meet_many(waiters, 2, &counterpart, 1);
}
