// A hand-over told by AnnotateHappensBefore and AnnotateHappensAfter.
// NORACE
// UNORDERED: race x: nothing but the annotation orders the two
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int baton;
int x;

static void gives(void) {
  x = 1;
  ANNOTATE(HappensBefore, &baton);
  end_turn();
}

static void takes(void) {
  await_turn(1);
  ANNOTATE(HappensAfter, &baton);
  x = 2;
}

int main(void) { run_two(gives, takes); }
