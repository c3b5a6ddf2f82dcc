// C++20: who arrives at a barrier without waiting is not ordered after the others.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <barrier>

#include "arrival.h"

std::barrier<> both(2);
int x;

static void announces() {
  (void)both.arrive();
  x = 1;  // RACE: observed x
}

static void waits() {
  both.arrive_and_wait();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
