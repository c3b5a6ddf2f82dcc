// A release that nobody acquires orders nothing.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int baton, other_baton;
int x;

static void gives(void) {
  x = 1;  // RACE: observed x
  TSAN(release, &baton);
  end_turn();
}

static void takes(void) {
  await_turn(1);
  TSAN(acquire, &other_baton);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(gives, takes); }
