// The latch is counted down before the write it should announce.
// RUN: %check %s

#include <latch>

#include "order.h"

std::latch latch(1);
int x;

static void counts() {
  latch.count_down();
  x = 1;  // RACE: observed x
  end_turn();
}

static void waits() {
  latch.wait();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main() { run_two(counts, waits); }
