// Two owners give up an object; both read the same count, so nobody destroys it.
// BUG: kind=data-race preemptions=1 threads=2 shows=status finding=race:object
// FOUND-BY: random race-directed
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static struct {
  int owners;
  int destroyed;
} object = {2, 0};

static void* give_up(void* self) {
  if (self != NULL) step(1);
  int left = object.owners - 1;
  if (self == NULL) step(0), step(3);
  object.owners = left;
  if (left == 0) object.destroyed = 1;
  if (self != NULL) step(2);
  return NULL;
}

int main(void) {
  RUN(give_up, give_up);
  return object.destroyed ? 0 : 3;
}
