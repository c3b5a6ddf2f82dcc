// The read comes first, the write after it.
// RUN: %check %s

#include "order.h"

int x;
int seen;

static void reads(void) {
  seen = x;  // RACE: observed x
  end_turn();
}

static void writes(void) {
  await_turn(1);
  x = 1;  // RACE: observed x
}

int main(void) { run_two(reads, writes); }
