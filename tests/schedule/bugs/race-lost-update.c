// Two threads count without a lock: an increment between another's read and write is lost.
// BUG: kind=data-race preemptions=1 threads=2 shows=assertion finding=race:hits
// FOUND-BY: random race-directed
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static int hits;

static void* count(void* self) {
  for (int i = 0; i < 3; ++i) {
    if (i == 0 && self != NULL) step(1);
    int seen = hits;
    if (i == 0 && self == NULL) step(0), step(3);
    hits = seen + 1;
    if (i == 0 && self != NULL) step(2);
  }
  return NULL;
}

int main(void) {
  RUN(count, count);
  assert(hits == 6);
}
