// An element of an array got by new[].
// RUN: %check %s

#include "order.h"

int* cells = new int[10]();

static void first() {
  cells[7] = 1;  // RACE: observed cells
  end_turn();
}

static void second() {
  await_turn(1);
  cells[7] = 2;  // RACE: observed cells
}

int main() {
  run_two(first, second);
  delete[] cells;
}
