// C++20: the latch is counted down before the write it should announce.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <latch>

#include "arrival.h"

std::latch ready(1);
int x;

static void announces() {
  ready.count_down();
  x = 1;  // RACE: observed x
}

static void waits() {
  ready.wait();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
