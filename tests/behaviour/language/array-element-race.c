// One element of an array, reached by different indices' computations.
// RUN: %check %s

#include "order.h"

int cells[100];
int index_of_first = 42;
int index_of_second = 21;

static void first(void) {
  cells[index_of_first] = 1;  // RACE: observed cells
  end_turn();
}

static void second(void) {
  await_turn(1);
  cells[index_of_second * 2] = 2;  // RACE: observed cells
}

int main(void) { run_two(first, second); }
