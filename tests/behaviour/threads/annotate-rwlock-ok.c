// A lock of one's own, told by AnnotateRWLock*.
// NORACE
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int lock;
int x;

static void first(void) {
  ANNOTATE(RWLockAcquired, &lock, 1);
  x = 1;
  ANNOTATE(RWLockReleased, &lock, 1);
  end_turn();
}

static void second(void) {
  await_turn(1);
  ANNOTATE(RWLockAcquired, &lock, 0);
  int seen = x;
  ANNOTATE(RWLockReleased, &lock, 0);
  (void)seen;
}

int main(void) {
  ANNOTATE(RWLockCreate, &lock);
  run_two(first, second);
  ANNOTATE(RWLockDestroy, &lock);
}
