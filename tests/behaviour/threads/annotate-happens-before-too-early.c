// The hand-over is told before the write.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int baton;
int x;

static void gives(void) {
  ANNOTATE(HappensBefore, &baton);
  x = 1;  // RACE: observed x
  end_turn();
}

static void takes(void) {
  await_turn(1);
  ANNOTATE(HappensAfter, &baton);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(gives, takes); }
