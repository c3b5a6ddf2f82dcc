// A loop that waits for a flag, but not for ever, and was left because its patience ended: the flag was set, but later.
// RUN: %check-loops %s

#include "order.h"

volatile int flag;
int x;

static void sets(void) {
  x = 1;  // RACE: observed x
  await_turn(1);
  flag = 1;
}

static void gives_up(void) {
  int i = 0;
  while (i < 3 && !flag) ++i;
  x = 2;  // RACE: observed x
  end_turn();
}

int main(void) { run_two(sets, gives_up); }
