// Reads and writes that are told to be ignored are.
// NORACE
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int x, y;
int seen;

static void first(void) {
  ANNOTATE(IgnoreWritesBegin);
  x = 1;
  ANNOTATE(IgnoreWritesEnd);
  y = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  seen = x;
  ANNOTATE(IgnoreReadsBegin);
  seen += y;
  ANNOTATE(IgnoreReadsEnd);
}

int main(void) { run_two(first, second); }
