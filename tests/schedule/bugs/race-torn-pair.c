// A reader between the two writes of a pair sees half of the new value.
// BUG: kind=data-race preemptions=1 threads=2 shows=assertion finding=race:range
// RUN: %show %s
#include "bug.h"

static struct {
  int low, high;
} range = {0, 9};

static void* move_up(void* unused) {
  range.low = 20;
  step(0);
  step(3);
  range.high = 29;
  return unused;
}

static void* look(void* unused) {
  step(1);
  int low = range.low, high = range.high;
  step(2);
  assert(low <= high);
  return unused;
}

int main(void) { RUN(move_up, look); }
