// A loop that works, and asks each time whether to stop.
// NORACE
// RUN: %check-loops %s

#include "order.h"

int early, late;
volatile int first, second;
int squares[16];

static __attribute__((noinline)) void work(int* rounds) {
  for (int i = 0; i < 16; ++i) squares[i] = i * i + *rounds;
  if (squares[3] == 0) squares[2] = 1;
  come_round(rounds);
}

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
  while (!first) {
    work(&rounds);
    if (squares[1] > 1000) squares[1] = 0;
  }
  early = 2;
  do {
    work(&rounds);
    if (squares[1] > 1000) squares[1] = 0;
  } while (!second);
  late = 2;
}

int main(void) { run_two(sets, waits); }
