// C++20: a barrier. One arrives and goes its way, the other waits for it.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <barrier>

#include "arrival.h"

std::barrier<> both(2);
int x;

static void announces() {
  x = 1;
  (void)both.arrive();
}

static void waits() {
  both.arrive_and_wait();
  x = 2;
}

int main() { meet(waits, announces); }
