// Only the variable that was named is exempt, not its neighbour.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

struct {
  int statistics;
  int x;
} shared;

static void first(void) {
  shared.statistics = 1;
  shared.x = 1;  // RACE: observed shared.x
  end_turn();
}

static void second(void) {
  await_turn(1);
  shared.statistics = 2;
  shared.x = 2;  // RACE: observed shared.x
}

int main(void) {
  ANNOTATE(BenignRaceSized, &shared.statistics, sizeof shared.statistics, "only statistics");
  run_two(first, second);
}
