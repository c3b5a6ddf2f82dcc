// C++20: a latch.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <latch>

#include "arrival.h"

std::latch ready(1);
int x;

static void announces() {
  x = 1;
  ready.count_down();
}

static void waits() {
  ready.wait();
  x = 2;
}

int main() { meet(waits, announces); }
