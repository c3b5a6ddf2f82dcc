// A race that is told to be benign is not reported.
// NORACE
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int statistics[4];

static void first(void) {
  statistics[2] = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  statistics[2] = 2;
}

int main(void) {
  ANNOTATE(BenignRaceSized, statistics, sizeof statistics, "only statistics");
  run_two(first, second);
}
