// The same hand-over in the language of Valgrind's headers, whose requests are instructions without effect.
// NORACE
// UNORDERED: race x: nothing but the annotation orders the two
// REQUIRES-HEADER: valgrind/helgrind.h
// RUN: %check %s

#include "order.h"
#include "valgrind/helgrind.h"

int baton;
int x;

static void gives(void) {
  x = 1;
  ANNOTATE_HAPPENS_BEFORE(&baton);
  end_turn();
}

static void takes(void) {
  await_turn(1);
  ANNOTATE_HAPPENS_AFTER(&baton);
  x = 2;
}

int main(void) { run_two(gives, takes); }
