// Home-made queue: the producer does not look whether there is room.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include "arrival.h"

enum { kSlots = 1 };
static volatile unsigned head, tail;
int slots[kSlots];
int sum;

static void produces(void) {
  slots[0] = 1;
  head = 1;
  end_turn();
  await_turn(2);
  slots[0] = 2;  // RACE: observed slots
  head = 2;
}

static void consumes(void) {
  await_turn(1);
  while (head == tail) {
  }
  sum += slots[0];  // RACE: observed slots
  end_turn();
  tail = 1;
}

int main(void) { run_two(produces, consumes); }
