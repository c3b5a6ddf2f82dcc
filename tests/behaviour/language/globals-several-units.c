// The variable is defined in another translation unit than the two accesses, one of which stands there too.
// ALSO: ../Inputs/other-unit.c
// RUN: %check %s

#include "order.h"

extern int shared_count;
void write_in_other_unit(void);

static void here(void) {
  shared_count = 1;  // RACE: observed shared_count
  end_turn();
}

static void there(void) {
  await_turn(1);
  write_in_other_unit();  // RACE: observed shared_count
}

int main(void) { run_two(here, there); }
