// A loop over an array, which a compiler may check as a whole, and one element of it.
// RUN: %check %s

#include "order.h"

int cells[64];

static void fills(void) {
  for (int i = 0; i < 64; i++) cells[i] = i;  // RACE: observed cells
  end_turn();
}

static void pokes(void) {
  await_turn(1);
  cells[33] = 1;  // RACE: observed cells
}

int main(void) { run_two(fills, pokes); }
