// The condition is a call through a pointer (thesis figure 8.12).
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int first, second;

__attribute__((noinline)) static int is_first_set(void) { return first; }
__attribute__((noinline)) static int is_second_set(void) { return second != 0; }
int (*asks[2])(void) = {is_first_set, is_second_set};

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
  while (!asks[0]()) come_round(&rounds);
  early = 2;
  while (!asks[1]()) come_round(&rounds);
  late = 2;
}

int main(void) { run_two(sets, waits); }
