// Eight threads look for the greatest value; a smaller one overwrites a greater one that came between test and write.
// BUG: kind=data-race preemptions=1 threads=8 shows=status finding=race:greatest
// FOUND-BY: random race-directed pct
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static const int kValues[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int greatest;

static void* offer(void* self) {
  int value = kValues[(size_t)self];
  if (value == 8) step(1);
  if (value > greatest) {
    if (value == 7) step(0), step(3);
    greatest = value;
  }
  if (value == 8) step(2);
  return NULL;
}

int main(void) {
  RUN(offer, offer, offer, offer, offer, offer, offer, offer);
  return greatest == 8 ? 0 : 3;
}
