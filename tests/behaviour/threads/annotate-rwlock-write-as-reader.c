// A lock of one's own, told to be held as a reader by both, one of which writes.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int lock;
int x;
int seen;

static void first(void) {
  ANNOTATE(RWLockAcquired, &lock, 0);
  x = 1;  // RACE: observed x
  ANNOTATE(RWLockReleased, &lock, 0);
  end_turn();
}

static void second(void) {
  await_turn(1);
  ANNOTATE(RWLockAcquired, &lock, 0);
  seen = x;  // RACE: observed x
  ANNOTATE(RWLockReleased, &lock, 0);
}

int main(void) {
  ANNOTATE(RWLockCreate, &lock);
  run_two(first, second);
}
