// A hand-over by means the detector cannot see, told by __tsan_release and __tsan_acquire.
// NORACE
// UNORDERED: race x: nothing but the annotation orders the two
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int baton;
int x;

static void gives(void) {
  x = 1;
  TSAN(release, &baton);
  end_turn();
}

static void takes(void) {
  await_turn(1);
  TSAN(acquire, &baton);
  x = 2;
}

int main(void) { run_two(gives, takes); }
