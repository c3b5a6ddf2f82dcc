// Ignoring ends where it is told to end, and ignored reads are not ignored writes.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int x, y;

static void first(void) {
  ANNOTATE(IgnoreReadsBegin);
  x = 1;  // RACE: observed x
  ANNOTATE(IgnoreReadsEnd);
  ANNOTATE(IgnoreWritesBegin);
  ANNOTATE(IgnoreWritesEnd);
  y = 1;  // RACE: observed y
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
  y = 2;  // RACE: observed y
}

int main(void) { run_two(first, second); }
