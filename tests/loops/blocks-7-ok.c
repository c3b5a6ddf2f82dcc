// Blocks: a spinning read loop of 7 basic blocks in its source.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int flag;
volatile int polls[8];
int x;

static void sets(void) {
  x = 1;
  flag = 1;
}

static void waits(void) {
  while (!flag) {
    polls[0] = polls[0] + 1;
    if (polls[0] & 1) polls[1] = polls[1] + 1;
    if (polls[0] & 2)
      polls[2] = polls[2] + 1;
    else
      polls[3] = polls[3] + 1;
    polls[4] = polls[4] + 1;
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
