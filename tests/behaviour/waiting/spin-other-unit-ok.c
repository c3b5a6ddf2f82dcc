// The condition is a call of a function in another translation unit.
// NORACE
// ALSO: ../Inputs/spin-other-unit.c
// RUN: %check-loops %s

#include "order.h"

int early, late;
extern volatile int first, second;
int is_first_set(void);
int is_second_set(void);

static void sets(void) {
  early = 1;
  first = 1;
  end_turn();
  await_turn(2);
  late = 1;
  second = 1;
}

static void waits(void) {
  int rounds = 0;
  await_turn(1);
  while (!is_first_set()) come_round(&rounds);
  early = 2;
  while (!is_second_set()) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
