// What is written after the flag is not waited for. The waiter is seen waiting before the flag is set: from then on its
// writes are known one by one.
// ENGINES: hybrid hb
// RUN: %check-loops %s

#include "order.h"

volatile int flag;
int x, y;

static void sets(void) {
  await_turn(1);
  x = 1;
  flag = 1;
  y = 1;  // RACE: observed y
  end_turn();
}

static void waits(void) {
  int rounds = 0;
  while (!flag) come_round(&rounds);
  x = 2;
  await_turn(2);
  y = 2;  // RACE: observed y
}

int main(void) { run_two(sets, waits); }
