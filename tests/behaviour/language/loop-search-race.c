// A search through an array that asks a flag at the element it looked for.
// RUN: %check-loops %s

#include "order.h"

int elements[8] = {0, 0, 0, 0, 0, 9, 0, 0};
int enabled;
int x;

static void changes(void) {
  x = 1;        // RACE: observed x
  enabled = 1;  // RACE: observed enabled
  end_turn();
}

static void searches(void) {
  await_turn(1);
  int i;
  for (i = 0; i < 8; ++i) {
    if (elements[i] == 9 && enabled) break;  // RACE: observed enabled
  }
  x = i;  // RACE: observed x
}

int main(void) { run_two(changes, searches); }
