// With --spin=0 a flag in a loop orders nothing, and races itself.
// OPTIONS: --spin=0
// RUN: %check %s

#include "order.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;     // RACE: observed x
  flag = 1;  // RACE: observed flag
  end_turn();
}

static void waits(void) {
  await_turn(1);
  while (!flag) {  // RACE: observed flag
  }
  x = 2;  // RACE: observed x
}

int main(void) { run_two(sets, waits); }
